import type { Principal, RequestContext } from '../context.ts';
import type { ErrorCode } from '../error-codes.ts';
import { PatchbayError } from '../errors.ts';
import type { CallRecordRow, Collection, ExecutionRow, FeedbackRow, Row, Rows } from '../rows.ts';
import type { Storage } from '../storage.ts';

/** A caller, as far as its functions are concerned. */
export type FunctionCaller = Pick<Principal, 'tenant' | 'functions'>;

/**
 * Whether a function exists for a caller: functions outside its allow list do not, just like those of other tenants.
 */
export function reachesFunction({ functions }: Pick<Principal, 'functions'>, id: string): boolean {
  return functions === undefined || functions.includes(id);
}

/**
 * Reject callers with an allow list, for operations that reach beyond single functions.
 *
 * @throws PatchbayError `insufficient_scope`.
 */
export function requireAllFunctions({ functions }: Pick<Principal, 'functions'>): void {
  if (functions === undefined) return;
  throw new PatchbayError('insufficient_scope', 'the credentials are limited to some functions');
}

/** The rows that callers name by their id: the error code if there is none, and the word for one of them. */
const resources = {
  functions: ['function_not_found', 'function'],
  executions: ['execution_not_found', 'execution'],
  schedules: ['schedule_not_found', 'schedule'],
  apiKeys: ['key_not_found', 'API key'],
  webhooks: ['webhook_not_found', 'webhook'],
  callRecords: ['call_not_found', 'call'],
  feedback: ['feedback_not_found', 'feedback'],
  datasetExamples: ['example_not_found', 'example'],
  observedNames: ['observed_name_not_found', 'observed name'],
} as const satisfies { readonly [C in Collection]?: readonly [ErrorCode, string] };

type Resource = keyof typeof resources;

/** The row of the caller's tenant with this id. @throws PatchbayError with the code of the resource. */
export async function findRow<C extends Resource>(
  storage: Pick<Storage, 'get'>,
  collection: C,
  id: string,
  { caller }: Pick<RequestContext, 'caller'>,
): Promise<Rows[C]> {
  const row = await storage.get(caller.tenant, collection, id);
  if (!row || !isReached(collection, row, caller)) throw notFound(collection);
  return row;
}

function isReached(collection: Resource, row: Row, caller: Pick<Principal, 'id' | 'functions'>): boolean {
  if (collection === 'functions') return reachesFunction(caller, row.id);
  if (collection === 'callRecords') return reachesCall(caller, row as CallRecordRow);
  if (collection !== 'executions' && collection !== 'feedback') return true;
  const { functionId, createdBy } = row as ExecutionRow | FeedbackRow;
  return reachesFunction(caller, functionId) || createdBy === caller.id;
}

/** Whether a caller sees a call: of a function that it reaches, or its own. */
export function reachesCall(
  caller: Pick<Principal, 'id' | 'functions'>,
  { functionId, keyId }: Pick<CallRecordRow, 'functionId' | 'keyId'>,
): boolean {
  return reachesFunction(caller, functionId) || keyId === caller.id;
}

export function notFound(collection: Resource): PatchbayError {
  const [code, name] = resources[collection];
  return new PatchbayError(code, `no ${name} has this id`);
}

/** Make sure that a row is as the caller has read it. @throws PatchbayError `precondition_failed`. */
export function checkRevision(collection: Resource, { revision }: Row, ifRevision: number | undefined): void {
  if (ifRevision !== undefined && revision !== ifRevision) throw preconditionFailed(collection);
}

function preconditionFailed(collection: Resource): PatchbayError {
  const [, name] = resources[collection];
  return new PatchbayError('precondition_failed', `the ${name} was changed since it was read; read it again`);
}

/** The error for a row that was not deleted: it is not there, or not as the caller has read it. */
export function deletionError(collection: Resource, reason: 'exists' | 'missing' | 'revision'): PatchbayError {
  return reason === 'revision' ? preconditionFailed(collection) : notFound(collection);
}

/** How often a change is attempted against concurrent changes of the same rows. */
const ATTEMPTS = 100;

/**
 * Make a change that depends on the revisions it has read. Retried as long as concurrent changes conflict.
 *
 * @param refusal The message once too many other changes were faster.
 * @param attempt Reads and commits once. Undefined: the commit was refused.
 * @throws PatchbayError `conflict`.
 */
export async function retryRefused<T>(refusal: string, attempt: () => Promise<T | undefined>): Promise<T> {
  for (let count = 1; count <= ATTEMPTS; count += 1) {
    const made = await attempt();
    if (made !== undefined) return made;
  }
  throw new PatchbayError('conflict', refusal);
}
