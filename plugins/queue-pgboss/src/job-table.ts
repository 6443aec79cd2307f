import {
  type DeadJob,
  isTenantId,
  type JsonObject,
  type JsonValue,
  type TenantId,
  tenantId,
} from '@patchbay/core/plugin';
import type { Db } from 'pg-boss';
import { statementsOf } from './enqueue.ts';

/** The attempt at a job that a consumer has. pg-boss increments it at each claim, so the pair is a fence. */
export interface Claim {
  readonly topic: string;
  readonly id: string;
  readonly retryCount: number;
}

/** How many jobs of a topic to claim, and after whose turn. */
export interface ClaimRequest {
  readonly topic: string;
  readonly room: number;
  readonly leaseMs: number;
  /** Empty: none. */
  readonly lastTenant: string;
}

/** A job that this consumer has. */
export interface ClaimedJob {
  readonly id: string;
  readonly data: unknown;
  readonly retryCount: number;
  readonly createdOn: Date;
}

const CLAIMED = "name = $1 AND id = $2 AND state = 'active' AND retry_count = $3";

/**
 * Statements that pg-boss has no call for: our consumers decide how long a lease is, when the next attempt is due, and
 * whether one counted. All of it uses the clock of the database.
 */
export class JobTable {
  readonly #database: Db;
  readonly #schema: string;
  readonly #table: string;
  readonly #claimStatement: string;

  /** @param schema That of pg-boss, checked to be a plain name. */
  constructor(database: Db, schema: string) {
    this.#database = database;
    this.#schema = schema;
    this.#table = `${schema}.job`;
    this.#claimStatement = statementsOf('claim.sql', schema);
  }

  /** Claim due jobs for as long as a lease lasts, by turns of their tenants. */
  async claim({ topic, room, leaseMs, lastTenant }: ClaimRequest): Promise<readonly ClaimedJob[]> {
    const leaseSeconds = Math.max(1, Math.ceil(leaseMs / 1_000));
    const rows = await this.#run(this.#claimStatement, [topic, lastTenant, room, leaseSeconds]);
    return rows.map((row) => ({
      id: String(row['id']),
      data: row['data'],
      retryCount: Number(row['retry_count']),
      createdOn: row['created_on'] as Date,
    }));
  }

  /** Have jobs of dead consumers delivered again. */
  async reclaim(topic: string): Promise<void> {
    const lapsed = `heartbeat_on + heartbeat_seconds * interval '1s' < ${this.#schema}.job_now()`;
    await this.#run(
      `UPDATE ${this.#table} SET state = 'retry', start_after = ${this.#schema}.job_now(), heartbeat_on = NULL
       WHERE name = $1 AND state = 'active' AND ${lapsed}`,
      [topic],
    );
  }

  /** Try it again later. */
  async retry(claim: Claim, delayMs: number, error: JsonObject): Promise<boolean> {
    return await this.#settle(
      `state = 'retry', start_after = ${this.#after('$4')}, heartbeat_on = NULL, output = $5::jsonb`,
      claim,
      [delayMs, JSON.stringify(error)],
    );
  }

  /** The same, without counting the attempt: the next claim counts up only where this one has begun. */
  async postpone(claim: Claim, delayMs: number): Promise<boolean> {
    const set = `state = 'retry', start_after = ${this.#after('$4')}, heartbeat_on = NULL, started_on = NULL`;
    return await this.#settle(set, claim, [delayMs]);
  }

  /** Keep it until an operator decides: pg-boss deletes no job whose `deletion_seconds` are 0. */
  async bury(claim: Claim, attempts: number, error: JsonObject): Promise<boolean> {
    return await this.#settle(
      `state = 'failed', completed_on = ${this.#schema}.job_now(), heartbeat_on = NULL, deletion_seconds = 0,
       retry_count = $4::int - 1, output = $5::jsonb`,
      claim,
      [attempts, JSON.stringify(error)],
    );
  }

  async dead(topic: string, limit: number): Promise<readonly DeadJob[]> {
    const rows = await this.#run(
      `SELECT id, data, retry_count, output, created_on, completed_on FROM ${this.#table}
       WHERE name = $1 AND state = 'failed' ORDER BY completed_on, id LIMIT $2`,
      [topic, limit],
    );
    return rows.flatMap((row) => {
      const data = readJobData(row['data']);
      if (data === undefined) return [];
      return {
        ...data,
        id: String(row['id']),
        topic,
        attempts: Number(row['retry_count']) + 1,
        error: row['output'] as JsonObject,
        createdAt: (row['created_on'] as Date).toISOString(),
        diedAt: (row['completed_on'] as Date).toISOString(),
      };
    });
  }

  /** The topic of the job; undefined if it does not exist, or another one has its key. */
  async revive(tenant: string, id: string): Promise<string | undefined> {
    try {
      const [row] = await this.#run(
        `UPDATE ${this.#table} j SET state = 'created', retry_count = 0, started_on = NULL, completed_on = NULL,
           start_after = ${this.#schema}.job_now(), deletion_seconds = q.deletion_seconds
         FROM ${this.#schema}.queue q WHERE q.name = j.name
           AND j.id::text = $1 AND j.state = 'failed' AND j.data ->> 'tenant' = $2 RETURNING j.name`,
        [id, tenant],
      );
      return row === undefined ? undefined : String(row['name']);
    } catch (error) {
      if ((error as { code?: unknown }).code === '23505') return undefined;
      throw error;
    }
  }

  async discard(tenant: string, id: string): Promise<boolean> {
    const rows = await this.#run(
      `DELETE FROM ${this.#table} WHERE id::text = $1 AND state = 'failed' AND data ->> 'tenant' = $2 RETURNING id`,
      [id, tenant],
    );
    return rows.length > 0;
  }

  #after(parameter: string): string {
    return `${this.#schema}.job_now() + ${parameter}::float8 * interval '1ms'`;
  }

  async #settle(set: string, { topic, id, retryCount }: Claim, more: readonly unknown[]): Promise<boolean> {
    const sql = `UPDATE ${this.#table} SET ${set} WHERE ${CLAIMED} RETURNING id`;
    return (await this.#run(sql, [topic, id, retryCount, ...more])).length > 0;
  }

  async #run(sql: string, values: readonly unknown[]): Promise<readonly Readonly<Record<string, unknown>>[]> {
    return (await this.#database.executeSql(sql, [...values])).rows;
  }
}

/** The content of `data` of a job. The payload stays text: `jsonb` would refuse some characters and sort the keys. */
interface JobData {
  readonly tenant: string;
  readonly payload: string;
}

/** Undefined for what this queue has not written: other programs may use pg-boss as well. */
export function readJobData(data: unknown): { readonly tenant: TenantId; readonly payload: JsonValue } | undefined {
  const { tenant, payload }: Partial<Record<keyof JobData, unknown>> = data ?? {};
  if (typeof tenant !== 'string' || !isTenantId(tenant) || typeof payload !== 'string') return undefined;
  try {
    return { tenant: tenantId(tenant), payload: JSON.parse(payload) as JsonValue };
  } catch {
    return undefined;
  }
}
