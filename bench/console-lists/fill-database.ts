import { DatabaseSync, type SQLInputValue } from 'node:sqlite';

const DAYS = 29;
const HOUR_MS = 3_600_000;
/** Combinations of key, function and model in the hours of usage. */
const COMBINATIONS = 200;
const CHUNK = 500_000;

/** SQL of the columns that differ between copies; `n` is the number of the copy from 0 on. */
type Columns = Readonly<Record<string, string>>;

const pick = (of: string, choices: readonly (readonly [below: number, value: string])[], otherwise: string): string =>
  `CASE ${choices.map(([below, value]) => `WHEN ${of} < ${below} THEN ${value}`).join(' ')} ELSE ${otherwise} END`;

/** The last days, in the order of the copies. */
const time = (rows: number, now: number): string => {
  const ms = `(${now - DAYS * 24 * HOUR_MS} + n * ${(DAYS * 24 * HOUR_MS) / rows})`;
  return `strftime('%Y-%m-%dT%H:%M:%S', ${ms} / 1000, 'unixepoch') || printf('.%03dZ', CAST(${ms} AS INTEGER) % 1000)`;
};

/** Add copies of the existing rows to the tables of calls, executions and hours of usage. */
export function fillDatabase(file: string, rows: number, functionId: string): void {
  const database = new DatabaseSync(file);
  database.exec(
    'PRAGMA journal_mode = WAL; PRAGMA synchronous = OFF; PRAGMA cache_size = -500000; PRAGMA wal_autocheckpoint = 100000',
  );
  const now = Date.now();
  const at = time(rows, now);
  // Half of everything belongs to one function. Its runs may fail, but are never cancelled.
  const of = pick('n % 200', [[100, `'${functionId}'`]], "'function_' || (n % 200)");
  const model = pick(
    `n % ${Math.ceil(rows / 3)}`,
    [[1, "'demo/rare'"]],
    pick('n % 10', [[7, "'demo/extractive'"]], "'demo/count-' || (n % 4)"),
  );
  const outcome = pick(
    'n % 1000',
    [
      [980, "'completed'"],
      [990, "'repaired'"],
    ],
    pick('n % 200', [[100, "'failed'"]], "'cancelled'"),
  );
  copy(database, 'call_records', rows, {
    id: "printf('call_0%025d', n)",
    function_id: of,
    model,
    key_id: "'key_' || (n * 31 % 53)",
    outcome,
    execution_id: "''",
    created_at: at,
  });
  copy(database, 'executions', rows, {
    id: "printf('execution_0%025d', n)",
    function_id: of,
    status: pick('n % 1000', [[980, "'completed'"]], "'failed'"),
    created_at: at,
    completed_at: at,
    // One in a million of its asynchronous executions.
    dead_letter: pick('n % 1000000', [[1, "'open'"]], 'NULL'),
  });
  const hours = Math.ceil(rows / COMBINATIONS / 24 > 92 ? 92 * 24 : rows / COMBINATIONS);
  copy(database, 'usage_hours', hours * COMBINATIONS, {
    id: "printf('usage_hour_%020d', n)",
    hour: `strftime('%Y-%m-%dT%H:00:00.000Z', ${Math.floor(now / HOUR_MS) * 3600} - (n / ${COMBINATIONS}) * 3600, 'unixepoch')`,
    key_id: "'key_' || (n % 20)",
    function_id: "'function_' || (n % 5)",
    model: "'demo/count-' || (n % 2)",
  });
  countAgain(database);
  database.exec('PRAGMA wal_checkpoint(TRUNCATE)');
  database.close();
}

function copy(database: DatabaseSync, table: string, rows: number, changed: Columns): void {
  const start = performance.now();
  const template = database.prepare(`SELECT * FROM ${table} ORDER BY rowid DESC LIMIT 1`).get();
  if (template === undefined) throw new Error(`${table} has no row to copy`);
  const columns = Object.keys(template);
  const values = columns.map((column) => changed[column] ?? `:${column}`);
  const given: Record<string, SQLInputValue> = Object.fromEntries(
    columns.filter((column) => changed[column] === undefined).map((column) => [column, template[column] ?? null]),
  );
  const insert = database.prepare(
    `WITH RECURSIVE numbers(n) AS (SELECT CAST(:from AS INTEGER) UNION ALL SELECT n + 1 FROM numbers WHERE n + 1 < CAST(:to AS INTEGER)) ` +
      `INSERT INTO ${table} (${columns.map((column) => `"${column}"`).join(', ')}) SELECT ${values.join(', ')} FROM numbers`,
  );
  for (let from = 0; from < rows; from += CHUNK) insert.run({ ...given, from, to: Math.min(rows, from + CHUNK) });
  console.log(`${table}: ${rows.toLocaleString('en')} rows in ${((performance.now() - start) / 1_000).toFixed(0)} s`);
}

/** The server keeps row counts beside the rows. */
function countAgain(database: DatabaseSync): void {
  for (const [collection, table, fields] of [
    ['callRecords', 'call_records', []],
    ['executions', 'executions', ['functionId', 'status']],
    ['usageHours', 'usage_hours', []],
  ] as const) {
    database.prepare('DELETE FROM counts WHERE collection = ?').run(collection);
    database.exec(`INSERT INTO counts SELECT tenant, '${collection}', '', '', count(*) FROM ${table} GROUP BY tenant`);
    for (const field of fields) {
      const column = field.replace(/[A-Z]/, (letter) => `_${letter.toLowerCase()}`);
      database.exec(
        `INSERT INTO counts SELECT tenant, '${collection}', '${field}', ${column}, count(*) FROM ${table} GROUP BY tenant, ${column}`,
      );
    }
  }
}
