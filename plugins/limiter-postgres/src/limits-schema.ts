import type { ClientBase } from 'pg';

/** What has to be there, by the name that `to_regclass` and `to_regprocedure` find it by. */
const present = `SELECT to_regclass('patchbay_limits') IS NOT NULL
  AND to_regprocedure('patchbay_take_1(text[], float8[], float8[], float8[], boolean, float8)') IS NOT NULL AS present`;

/** Any number; all servers on one database take the same lock. */
const lock = 'SELECT pg_advisory_xact_lock(7240117)';

// Not logged: what is counted is worth nothing after a crash, and would cost a flush to disk. There is room in each page
// for the next version of its rows, and no index but one, so that taking changes none.
const table = `CREATE UNLOGGED TABLE IF NOT EXISTS patchbay_limits (
  key text COLLATE "C" PRIMARY KEY, used float8 NOT NULL, at float8 NOT NULL, full_at float8 NOT NULL
) WITH (fillfactor = 50)`;

// Rows are locked in the order of their keys, so that two calls never wait for each other. The clock is read once all are
// locked: nobody writes a later time before an earlier one. One that changes gets another number: servers of two versions
// may be at work.
const take = `CREATE OR REPLACE FUNCTION patchbay_take_1(
  keys text[], costs float8[], rates float8[], bursts float8[], forced boolean, at_ms float8
) RETURNS float8[] LANGUAGE plpgsql AS $$
DECLARE
  now_ms float8;
  used_now float8[];
  fits boolean := true;
BEGIN
  INSERT INTO patchbay_limits (key, used, at, full_at)
    SELECT wanted, 0, 0, 0 FROM unnest(keys) AS wanted ORDER BY wanted COLLATE "C"
    ON CONFLICT (key) DO UPDATE SET used = 0 WHERE false;
  now_ms := coalesce(at_ms, extract(epoch FROM clock_timestamp()) * 1000);
  FOR i IN 1..cardinality(keys) LOOP
    used_now[i] := (SELECT greatest(0, l.used - greatest(0, now_ms - l.at) * rates[i])
      FROM patchbay_limits l WHERE l.key = keys[i]);
    IF used_now[i] + costs[i] > bursts[i] + 1e-6 THEN fits := false; END IF;
  END LOOP;
  IF fits OR forced THEN
    FOR i IN 1..cardinality(keys) LOOP
      used_now[i] := greatest(0, used_now[i] + costs[i]);
      UPDATE patchbay_limits l SET used = used_now[i], at = now_ms, full_at = now_ms + used_now[i] / rates[i]
        WHERE l.key = keys[i];
    END LOOP;
  END IF;
  RETURN array_prepend((CASE WHEN fits OR forced THEN 1 ELSE 0 END)::float8, used_now);
END $$`;

/** Make the table and the function, once among all servers. */
export async function prepareSchema(client: ClientBase): Promise<void> {
  const { rows } = await client.query<{ present: boolean }>(present);
  // Then nothing has to be allowed but their use.
  if (rows[0]?.present === true) return;
  await client.query('BEGIN');
  try {
    for (const statement of [lock, table, take]) await client.query(statement);
    await client.query('COMMIT');
  } catch (error) {
    await client.query('ROLLBACK');
    throw error;
  }
}

/**
 * Units are taken from all buckets or from none: an array of whether they were, and then, for each bucket, the units
 * that are used.
 */
export const takeStatement = 'SELECT patchbay_take_1($1, $2, $3, $4, $5, $6) AS answer';

/** Forget buckets that are full again and that nobody uses at the moment. */
export const sweepStatement = `DELETE FROM patchbay_limits WHERE key IN (
  SELECT key FROM patchbay_limits WHERE full_at < extract(epoch FROM clock_timestamp()) * 1000
  LIMIT 10000 FOR UPDATE SKIP LOCKED)`;
