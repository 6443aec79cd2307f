import type { Db } from 'pg-boss';
import { claimIndexStatement } from './claim-statement.ts';

/** Where consumers of all processes hear of new jobs; the payload is the topic. */
export function channelOf(schema: string): string {
  return `patchbay_${schema}`;
}

/**
 * Make the function that enqueues: one statement, so that a storage can have it in a transaction of its own. It makes
 * the queue of a topic that pg-boss does not know yet, and tells consumers once the transaction has committed.
 *
 * `exclusive` keeps out a second job with the key while the first waits or is worked on. A job waits for ever, is
 * retried for ever, and takes as long as it does: all that is for its consumer to say.
 */
export async function createEnqueueFunction(database: Db, schema: string, keepSeconds: number): Promise<void> {
  await database.executeSql(`
    BEGIN;
    SELECT pg_advisory_xact_lock(7240118);
    CREATE OR REPLACE FUNCTION ${schema}.patchbay_enqueue_1(
      topic text, job_id uuid, job_key text, tenant text, payload text, delay_ms float8
    ) RETURNS SETOF uuid LANGUAGE plpgsql AS $$
    BEGIN
      IF NOT EXISTS (SELECT FROM ${schema}.queue q WHERE q.name = topic) THEN
        PERFORM ${schema}.create_queue(topic, jsonb_build_object(
          'policy', 'exclusive', 'deleteAfterSeconds', ${keepSeconds}, 'heartbeatSeconds', 30
        ));
      END IF;
      RETURN QUERY INSERT INTO ${schema}.job (
          id, name, data, singleton_key, policy, start_after, created_on, keep_until,
          retry_limit, expire_seconds, deletion_seconds, heartbeat_seconds
        )
        SELECT job_id, topic, jsonb_build_object('tenant', tenant, 'payload', payload), job_key, q.policy,
          ${schema}.job_now() + delay_ms * interval '1ms', ${schema}.job_now(), 'infinity',
          2147483647, 2147483647, q.deletion_seconds, q.heartbeat_seconds
        FROM ${schema}.queue q WHERE q.name = topic
        ON CONFLICT DO NOTHING
        RETURNING job.id;
      IF FOUND AND delay_ms = 0 THEN PERFORM pg_notify('${channelOf(schema)}', topic); END IF;
    END $$;
    ${claimIndexStatement(schema)};
    COMMIT;
  `);
}
