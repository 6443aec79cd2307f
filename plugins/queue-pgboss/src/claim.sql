-- Claims jobs of a topic, in turns: the first due job of each tenant, from the tenant after the one whose turn was last,
-- and around; room that is left goes to the jobs that have waited longest. It costs as much as there are tenants with
-- jobs, and not as there are jobs. Jobs that another consumer is claiming at the same time are passed over.
--
-- Parameters: topic, tenant whose turn was last, how many, seconds of the lease.
WITH RECURSIVE step (tenant) AS (
  (SELECT (data ->> 'tenant') COLLATE "C" FROM {{schema}}.job
    WHERE name = $1 AND state < 'active'
    ORDER BY (data ->> 'tenant') COLLATE "C" LIMIT 1)
  UNION ALL SELECT (
    SELECT (data ->> 'tenant') COLLATE "C" FROM {{schema}}.job
    WHERE name = $1 AND state < 'active' AND (data ->> 'tenant') COLLATE "C" > step.tenant
    ORDER BY (data ->> 'tenant') COLLATE "C" LIMIT 1
  ) FROM step WHERE step.tenant IS NOT NULL
), head AS MATERIALIZED (
  SELECT first.id, step.tenant FROM step
    CROSS JOIN LATERAL (
      SELECT id, start_after FROM {{schema}}.job
      WHERE name = $1 AND state < 'active' AND NOT blocked AND start_after <= {{schema}}.job_now()
        AND (data ->> 'tenant') COLLATE "C" = step.tenant
      ORDER BY start_after, id LIMIT 1 FOR UPDATE SKIP LOCKED
    ) first
    WHERE step.tenant IS NOT NULL
), oldest AS MATERIALIZED (
  SELECT id, start_after FROM {{schema}}.job
  WHERE name = $1 AND state < 'active' AND NOT blocked AND start_after <= {{schema}}.job_now()
  ORDER BY start_after, id LIMIT $3::int FOR UPDATE SKIP LOCKED
), turn (id, round, last, tenant, since) AS (
  SELECT id, 1, tenant <= $2::text COLLATE "C", tenant, NULL FROM head
  UNION ALL SELECT id, 2, false, NULL, start_after FROM oldest WHERE id NOT IN (SELECT id FROM head)
), chosen AS MATERIALIZED (
  SELECT id FROM turn ORDER BY round, last, tenant, since LIMIT $3::int
)
UPDATE {{schema}}.job SET state = 'active', started_on = {{schema}}.job_now(), heartbeat_on = {{schema}}.job_now(),
  heartbeat_seconds = $4::int,
  retry_count = CASE WHEN started_on IS NOT NULL THEN retry_count + 1 ELSE retry_count END
WHERE name = $1 AND id = ANY (ARRAY(SELECT id FROM chosen))
RETURNING id, data, retry_count, created_on;
