import type { Database } from '../fleet.ts';

/** Keys of requests that a living process seems to work on. Those of a dead one are lost, and need no row that says so. */
export const openKeys = `
  SELECT k.id FROM idempotency_keys k JOIN instances i ON i.id = k.owner
  WHERE k.status = 'running' AND i.expires_at > now()`;

// Invariants of a database without writers: each statement finds violations.
const laws: Readonly<Record<string, string>> = {
  'a function has not as many versions as its revision says': `
    SELECT f.id FROM functions f LEFT JOIN function_versions v ON v.function_id = f.id
    GROUP BY f.id, f.revision HAVING COUNT(v.id) <> f.revision`,
  'a version has no function': `
    SELECT v.id FROM function_versions v WHERE NOT EXISTS (SELECT 1 FROM functions f WHERE f.id = v.function_id)`,
  'a version has no event': `
    SELECT v.id FROM function_versions v WHERE NOT EXISTS (
      SELECT 1 FROM webhook_events e WHERE e.data::json->>'functionId' = v.function_id
        AND e.data::json->>'version' = v.version::text AND e.type IN ('function.created', 'function.updated'))`,
  'an event tells of a function that neither is there nor was deleted': `
    SELECT e.id FROM webhook_events e WHERE e.type = 'function.created'
      AND NOT EXISTS (SELECT 1 FROM functions f WHERE f.id = e.data::json->>'functionId')
      AND NOT EXISTS (SELECT 1 FROM webhook_events d
        WHERE d.type = 'function.deleted' AND d.data::json->>'functionId' = e.data::json->>'functionId')`,
  'an event has neither a delivery that is through nor one that waits': `
    SELECT e.id FROM webhook_events e WHERE e.type LIKE 'function.%'
      AND NOT EXISTS (SELECT 1 FROM webhook_deliveries d WHERE d.event_id = e.id AND d.state IN ('delivered', 'waiting'))`,
  'a function was written more or less often than the audit log says': `
    SELECT f.id FROM functions f WHERE f.revision <> (SELECT COUNT(*) FROM audit_entries a
      WHERE a.resource_id = f.id AND a.action IN ('function.created', 'function.updated'))`,
  'an execution has not ended': `SELECT id FROM executions WHERE status IN ('queued', 'running')`,
  'an execution has ended and an owner': `SELECT id FROM executions WHERE owner IS NOT NULL`,
  // One that found no free place has not run: its key is free again, and the client retries.
  'two executions have the same input': `
    SELECT input::json->>'text' AS id FROM executions
    WHERE schedule_id IS NULL AND NOT (status = 'failed' AND error::json->>'code' = 'overloaded')
    GROUP BY input::json->>'text' HAVING COUNT(*) > 1`,
  'a key is taken for one that is still running': openKeys,
  ...counted('functions', 'functions'),
  ...counted('functionVersions', 'function_versions', 'functionId', 'function_id'),
  ...counted('executions', 'executions', 'status', 'status'),
  ...counted('executions', 'executions', 'functionId', 'function_id'),
};

/** The kept counts against the rows. */
function counted(collection: string, table: string, field = '', column = "''"): Record<string, string> {
  return {
    [`the count of ${collection} by "${field}" is wrong`]: `
      SELECT COALESCE(c.value, r.value) AS id
      FROM (SELECT tenant, value, total FROM counts WHERE collection = '${collection}' AND field = '${field}' AND total <> 0) c
      FULL JOIN (SELECT tenant, ${column} AS value, COUNT(*) AS total FROM ${table} GROUP BY 1, 2) r
        ON r.tenant = c.tenant AND r.value = c.value
      WHERE c.total IS DISTINCT FROM r.total`,
  };
}

const SHOWN = 5;

/** Faults in a database without writers. */
export async function checkDatabase(database: Database): Promise<readonly string[]> {
  const faults: string[] = [];
  for (const [fault, statement] of Object.entries(laws)) {
    const rows = await database.query(statement);
    for (const row of rows.slice(0, SHOWN)) faults.push(`${fault}: ${String(row['id'])}`);
    if (rows.length > SHOWN) faults.push(`${fault}: ${rows.length - SHOWN} more`);
  }
  return faults;
}
