-- The function that enqueues: one statement, so that a storage can run it in its own transaction. It makes the queue of a
-- topic that pg-boss does not know yet, and tells consumers once the transaction has committed.
--
-- `exclusive` keeps out a second job with the key while the first waits or is worked on. A job waits for ever, is
-- retried for ever, and takes as long as it does: all that is for its consumer to say.
BEGIN;
SELECT pg_advisory_xact_lock(7240118);
CREATE OR REPLACE FUNCTION {{schema}}.patchbay_enqueue_1(
  topic text, job_id uuid, job_key text, tenant text, payload text, delay_ms float8
) RETURNS SETOF uuid LANGUAGE plpgsql AS $$
BEGIN
  IF NOT EXISTS (SELECT FROM {{schema}}.queue q WHERE q.name = topic) THEN
    PERFORM {{schema}}.create_queue(topic, jsonb_build_object(
      'policy', 'exclusive', 'deleteAfterSeconds', {{keepSeconds}}, 'heartbeatSeconds', 30
    ));
  END IF;
  RETURN QUERY INSERT INTO {{schema}}.job (
      id, name, data, singleton_key, policy, start_after, created_on, keep_until,
      retry_limit, expire_seconds, deletion_seconds, heartbeat_seconds
    )
    SELECT job_id, topic, jsonb_build_object('tenant', tenant, 'payload', payload), job_key, q.policy,
      {{schema}}.job_now() + delay_ms * interval '1ms', {{schema}}.job_now(), 'infinity',
      2147483647, 2147483647, q.deletion_seconds, q.heartbeat_seconds
    FROM {{schema}}.queue q WHERE q.name = topic
    ON CONFLICT DO NOTHING
    RETURNING job.id;
  IF FOUND AND delay_ms = 0 THEN PERFORM pg_notify('patchbay_{{schema}}', topic); END IF;
END $$;

-- The index that the claim steps through. Tenants have an order that does not depend on the language of the database.
CREATE INDEX IF NOT EXISTS patchbay_turns ON {{schema}}.job (name, ((data ->> 'tenant') COLLATE "C"), start_after, id)
  WHERE state < 'active';
COMMIT;
