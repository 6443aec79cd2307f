import type { RequestContext } from '../contracts/context.ts';
import type { JsonObject } from '../contracts/json.ts';
import type { ApiKeyRow, ExecutionRow, FunctionRow, WebhookRow } from '../contracts/rows.ts';
import type { EventKindName } from './event-kinds.ts';

/** Something that webhooks are to be told of. Ids, names and counts; never prompts, outputs or code. */
export interface WebhookEvent {
  readonly type: EventKindName;
  readonly data: JsonObject;
  /** When it happened. Default: now, as it is written down. */
  readonly at?: string;
}

export function functionStored(
  type: 'function.created' | 'function.updated',
  { id, name, revision }: Pick<FunctionRow, 'id' | 'name' | 'revision'>,
): WebhookEvent {
  return { type, data: { functionId: id, name, version: revision } };
}

export function functionDeleted(functionId: string): WebhookEvent {
  return { type: 'function.deleted', data: { functionId } };
}

/** @param current The version that has a label now; undefined where there are no settings any more. */
export function settingsUpdated(
  functionId: string,
  current: { readonly version: number; readonly label: string } | undefined,
): WebhookEvent {
  const { version = null, label = null } = current ?? {};
  return { type: 'function.settings.updated', data: { functionId, deleted: current === undefined, version, label } };
}

type EndedExecution = Pick<ExecutionRow, 'id' | 'functionId' | 'functionVersion' | 'status' | 'durationMs' | 'error'>;

export function executionEnded(row: EndedExecution): WebhookEvent {
  const { id, functionId, functionVersion, status, durationMs, error } = row;
  const code = error?.['code'];
  const errorCode = typeof code === 'string' ? code : null;
  return {
    type: status === 'completed' ? 'execution.completed' : 'execution.failed',
    data: { executionId: id, functionId, functionVersion, status, durationMs, errorCode },
  };
}

export function keyCreated({ id, name, scopes, expiresAt }: ApiKeyRow): WebhookEvent {
  return { type: 'key.created', data: { keyId: id, name, scopes: [...scopes], expiresAt } };
}

export function keyRevoked(keyId: string): WebhookEvent {
  return { type: 'key.revoked', data: { keyId } };
}

export function webhookDisabled(webhookId: string, reason: NonNullable<WebhookRow['disabledReason']>): WebhookEvent {
  return { type: 'webhook.disabled', data: { webhookId, reason } };
}

/** What every event of the gateway says of its request. */
export function requestData({ requestId, caller, execution }: RequestContext): JsonObject {
  return { requestId, callerId: caller.id, executionId: execution?.id ?? null };
}
