import type { JsonObject, JsonValue } from './json.ts';
import type { Schema } from './json-schema.ts';

/** What every stored row has. */
export interface Row {
  readonly id: string;
  /** 1 at birth, one more with each update. The guard against lost updates. */
  readonly revision: number;
}

/** A function as it is now. `revision` is also the number of its newest version. */
export interface FunctionRow extends Row {
  readonly name: string;
  readonly description: string;
  readonly input: Schema;
  readonly output: Schema;
  readonly code: string;
  /** What the executor's `prepare` made of `code`. */
  readonly artifact: string;
  /** SHA-256, in hex, of name, description, schemas and code. */
  readonly contentHash: string;
  readonly createdAt: string;
  readonly updatedAt: string;
}

/** What a function was at one time. Never changed; gone when its function is deleted. */
export interface FunctionVersionRow extends Row {
  readonly functionId: string;
  /** The function's revision that this row keeps. */
  readonly version: number;
  readonly name: string;
  readonly description: string;
  readonly input: Schema;
  readonly output: Schema;
  readonly code: string;
  readonly contentHash: string;
  readonly createdAt: string;
  /** Principal that wrote the version. */
  readonly createdBy: string;
}

export type ExecutionStatus = 'queued' | 'running' | 'completed' | 'failed' | 'timed_out' | 'cancelled' | 'interrupted';

/** One run of a function. Outlives the function. */
export interface ExecutionRow extends Row {
  readonly functionId: string;
  readonly functionVersion: number;
  readonly status: ExecutionStatus;
  /** As the caller sent it. */
  readonly input: JsonObject;
  /** With the defaults of the input schema filled in; null where that changed nothing. */
  readonly effectiveInput: JsonObject | null;
  readonly output: JsonObject | null;
  readonly error: JsonObject | null;
  readonly logs: readonly JsonValue[];
  readonly logsTruncated: boolean;
  readonly usage: JsonObject | null;
  readonly durationMs: number | null;
  readonly createdAt: string;
  readonly completedAt: string | null;
  readonly createdBy: string;
}

/** An API key. The secret itself is never stored. */
export interface ApiKeyRow extends Row {
  /** The public part of the key, by which it is found. Unique over all tenants. */
  readonly lookupId: string;
  readonly name: string;
  /** HMAC-SHA-256 of the secret part, in hex, keyed with the server's pepper. */
  readonly secretHash: string;
  readonly scopes: readonly string[];
  readonly createdAt: string;
  readonly createdBy: string;
  readonly expiresAt: string | null;
  readonly revokedAt: string | null;
}

/** The name of each collection and what its rows hold. */
export interface Rows {
  readonly functions: FunctionRow;
  readonly functionVersions: FunctionVersionRow;
  readonly executions: ExecutionRow;
  readonly apiKeys: ApiKeyRow;
}

export type Collection = keyof Rows;
