import { connect } from '../../better-sqlite3.ts';

/** Findings about the commits of `crash-writer.ts`. */
export interface Findings {
  /** Commits that were acknowledged and are not in the database. An execution that was taken would run again. */
  readonly lost: readonly string[];
  /** Commits of which only a part is in the database, acknowledged or not. */
  readonly torn: readonly string[];
  /** Damage to counters and file; empty when there is none. */
  readonly damage: readonly string[];
}

/** Look into the database that a writer has left. */
export async function inspect(file: string, acknowledged: ReadonlySet<string>): Promise<Findings> {
  const options = { file, busyTimeoutMs: 5_000, cacheMegabytes: 16, maxMegabytes: undefined };
  const database = connect(options, 'write');
  try {
    const all = (sql: string) => database.prepare(sql).raw(true).all([]);
    const ids = (sql: string) => new Set(all(sql).map(([id]) => String(id)));
    const functions = ids("SELECT id FROM functions WHERE id LIKE 'function_%'");
    const versions = ids('SELECT function_id FROM function_versions');
    const counted = new Map(
      all("SELECT id, revision, name FROM functions WHERE id LIKE 'counter_%'").map(([id, revision, name]) => [
        String(id),
        { revision: Number(revision), name: String(name) },
      ]),
    );
    const torn = [...new Set([...functions, ...versions])].filter((id) => {
      const [, run, writer, round] = id.split('_');
      const counter = counted.get(`counter_${run}_${writer}`);
      return !functions.has(id) || !versions.has(id) || (counter?.revision ?? 0) < Number(round) + 2;
    });
    for (const [id, { revision, name }] of counted) {
      if (revision > 1 && !functions.has(name)) torn.push(id);
    }
    const ended = ids("SELECT SUBSTR(id, 9) FROM executions WHERE id LIKE 'started_%' AND status = 'completed'");
    torn.push(...[...functions, ...ended].filter((id) => functions.has(id) !== ended.has(id)));
    const runs = new Map(
      all('SELECT schedule_id, COUNT(*) FROM executions GROUP BY 1').map(([id, count]) => [String(id), Number(count)]),
    );
    for (const [id, revision, last] of all('SELECT id, revision, last_execution_id FROM schedules')) {
      const hasLast = Number(revision) === 1 || functions.has(String(last).slice('execution_'.length));
      // One execution for each time, and none without its time.
      if ((runs.get(String(id)) ?? 0) !== Number(revision) - 1 || !hasLast) torn.push(String(id));
    }
    const totals = (sql: string) => String(Number(all(sql)[0]?.[0] ?? 0));
    const damage = [
      ...all('PRAGMA integrity_check').flat().map(String),
      ...(['functions', 'function_versions'] as const).map((table) => {
        const collection = table === 'functions' ? 'functions' : 'functionVersions';
        const kept = totals(`SELECT total FROM counts WHERE collection = '${collection}' AND field = ''`);
        return kept === totals(`SELECT COUNT(*) FROM ${table}`) ? 'ok' : `the counter of ${table} is ${kept}`;
      }),
    ].filter((line) => line !== 'ok');
    const taken = ids("SELECT id FROM executions WHERE status = 'running'");
    const lost = [...acknowledged].filter((id) => !functions.has(id) && !taken.has(id));
    return { lost, torn, damage };
  } finally {
    database.close();
  }
}
