import type { Trial } from '../context.ts';
import type { RunPolicy } from '../function-settings.ts';
import type { JsonObject, JsonValue } from '../json.ts';
import { json, jsonOrNull, oneOf, oneOfOrNull, rowFields } from './fields.ts';

/** The statuses of an execution that does not change any more. */
export const endedStatuses = ['completed', 'failed', 'timed_out', 'cancelled', 'interrupted'] as const;

export const executionStatuses = ['queued', 'running', ...endedStatuses] as const;

export type ExecutionStatus = (typeof executionStatuses)[number];

export type EndedStatus = (typeof endedStatuses)[number];

export function isEndedStatus(status: ExecutionStatus): status is EndedStatus {
  return endedStatuses.some((ended) => ended === status);
}

/** One run of a function, which it outlives, or of a program. */
export const executions = {
  fields: {
    ...rowFields,
    functionId: 'string',
    functionVersion: 'integer',
    status: oneOf(executionStatuses),
    /** As the caller sent it. */
    input: json<JsonObject>(),
    /** The input with defaults filled in; null if equal to `input`. */
    effectiveInput: jsonOrNull<JsonObject>(),
    output: jsonOrNull<JsonObject>(),
    error: jsonOrNull<JsonObject>(),
    logs: json<readonly JsonValue[]>(),
    logsTruncated: 'boolean',
    usage: jsonOrNull<JsonObject>(),
    durationMs: 'integer?',
    createdAt: 'time',
    completedAt: 'time?',
    createdBy: 'string',
    /** The instance that runs it. Null while it is queued, and once it has ended. */
    owner: 'string?',
    /** How often it was started; null in rows that are older than this field. */
    attempt: 'integer?',
    /** The caller of an asynchronous execution, on whose behalf it runs. Null where the caller waits. */
    principal: jsonOrNull<JsonObject>(),
    /** The execution whose code requested this one; null for requests from outside. */
    parentId: 'string?',
    /** The function calls that a program made; null where a function ran. */
    calls: jsonOrNull<readonly JsonValue[]>(),
    /** Null if it is not a trial. */
    trial: jsonOrNull<Trial>(),
    /** The settings of the function that apply to its runs. Null for those without, and for callers that wait. */
    policy: jsonOrNull<RunPolicy>(),
    /** The schedule that it belongs to. Null for all others. */
    scheduleId: 'string?',
    /** The time that its schedule names. Null if a caller asked for the run. */
    scheduledFor: 'time?',
    /** The execution that must have ended before this one starts. */
    after: 'string?',
    /** For an asynchronous execution whose last run did not complete: `settled` once it was run again, or removed. */
    deadLetter: oneOfOrNull(['open', 'settled']),
  },
  sort: ['createdAt'],
  filter: ['functionId', 'status', 'owner', 'scheduleId', 'deadLetter'],
  unique: [],
  scan: { where: [], sort: 'createdAt' },
} as const;

/**
 * A slot for one of the executions of a function that may run at the same time. The id is derived from the function and
 * a number.
 */
export const executionSlots = {
  fields: {
    ...rowFields,
    executionId: 'string',
    createdAt: 'time',
  },
  sort: ['createdAt'],
  filter: ['executionId'],
  unique: [],
} as const;

/** A server process. It renews its lease; once the lease has expired, other processes take over its work. */
export const instances = {
  fields: {
    ...rowFields,
    /** Identifies the process on its machine; empty where that is impossible. */
    process: 'string',
    startedAt: 'time',
    /** The end of its lease. */
    expiresAt: 'time',
  },
  sort: ['expiresAt'],
  filter: [],
  unique: [],
} as const;

/** Deferred work for any consumer. */
export const jobs = {
  fields: {
    ...rowFields,
    topic: 'string',
    state: oneOf(['waiting', 'dead']),
    /** When it is due. The consumer that takes it sets this to the end of its lease. */
    dueAt: 'time',
    /** Number of deliveries. */
    attempt: 'integer',
    dedupeKey: 'string?',
    createdAt: 'time',
    payload: json<JsonValue>(),
    /** The error of the last attempt. */
    error: jsonOrNull<JsonObject>(),
  },
  sort: ['dueAt'],
  filter: ['topic', 'state'],
  unique: [],
  scan: { where: ['topic', 'state'], sort: 'dueAt', heads: true },
} as const;

/** A request with an `Idempotency-Key`: its response, or that it is in progress. */
export const idempotencyKeys = {
  fields: {
    ...rowFields,
    /** SHA-256, in hex, of the request. The same key with another request is a caller error. */
    requestHash: 'string',
    /** `lost`: it ran, and its response is unknown or was not stored. */
    status: oneOf(['running', 'answered', 'lost']),
    /** The process that works on it. */
    owner: 'string',
    /** Encrypted, because responses can contain secrets that are shown once. Null without a response. */
    answer: jsonOrNull<JsonObject>(),
    createdAt: 'time',
    /** Time from which the key can be used again. */
    expiresAt: 'time',
  },
  sort: ['expiresAt'],
  filter: [],
  unique: [],
  scan: { where: [], sort: 'expiresAt' },
} as const;
