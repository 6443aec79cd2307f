/**
 * One statement that claims jobs of a topic, in turns: the first due job of each tenant, from the tenant after the one
 * whose turn was last, and around; room that is left goes to whoever has waited longest. It costs as much as there are
 * tenants with jobs, and not as there are jobs.
 *
 * Parameters: topic, tenant whose turn was last, how many, seconds of the lease.
 *
 * @param schema That of pg-boss, checked to be a plain name.
 */
export function claimStatement(schema: string): string {
  const table = `${schema}.job`;
  const now = `${schema}.job_now()`;
  const waiting = `name = $1 AND state < 'active'`;
  const due = `${waiting} AND NOT blocked AND start_after <= ${now}`;
  const firstTenant = (more: string): string =>
    `(SELECT ${TENANT} FROM ${table} WHERE ${waiting}${more} ORDER BY ${TENANT} LIMIT 1)`;
  // What another consumer is claiming at the same time is passed over.
  const firstOf = (more: string, count: string): string =>
    `SELECT id, start_after FROM ${table} WHERE ${due}${more} ORDER BY start_after, id LIMIT ${count} FOR UPDATE SKIP LOCKED`;
  return `
    WITH RECURSIVE step (tenant) AS (
      ${firstTenant('')}
      UNION ALL SELECT ${firstTenant(` AND ${TENANT} > step.tenant`)} FROM step WHERE step.tenant IS NOT NULL
    ), head AS MATERIALIZED (
      SELECT first.id, step.tenant FROM step
        CROSS JOIN LATERAL (${firstOf(` AND ${TENANT} = step.tenant`, '1')}) first
        WHERE step.tenant IS NOT NULL
    ), oldest AS MATERIALIZED (
      ${firstOf('', '$3::int')}
    ), turn (id, round, last, tenant, since) AS (
      SELECT id, 1, tenant <= $2::text COLLATE "C", tenant, NULL FROM head
      UNION ALL SELECT id, 2, false, NULL, start_after FROM oldest WHERE id NOT IN (SELECT id FROM head)
    ), chosen AS MATERIALIZED (
      SELECT id FROM turn ORDER BY round, last, tenant, since LIMIT $3::int
    )
    UPDATE ${table} SET state = 'active', started_on = ${now}, heartbeat_on = ${now}, heartbeat_seconds = $4::int,
      retry_count = CASE WHEN started_on IS NOT NULL THEN retry_count + 1 ELSE retry_count END
    WHERE name = $1 AND id = ANY (ARRAY(SELECT id FROM chosen))
    RETURNING id, data, retry_count, created_on`;
}

/** The tenant of a job, in an order that does not depend on the language of the database. */
const TENANT = `(data ->> 'tenant') COLLATE "C"`;

/** What the claim steps through. */
export function claimIndexStatement(schema: string): string {
  return `CREATE INDEX IF NOT EXISTS patchbay_turns ON ${schema}.job (name, (${TENANT}), start_after, id)
    WHERE state < 'active'`;
}
