import { timestamp } from '@patchbay/contracts/base/clock';
import { newId } from '@patchbay/contracts/base/type-id';
import type { Clock } from '@patchbay/contracts/clock';
import type { JsonObject, JsonValue } from '@patchbay/contracts/json';
import type { Job, NewJob, Queue } from '@patchbay/contracts/queue';
import type {
  ApiKeyRow,
  ExecutionRow,
  ExperimentRow,
  FeedbackRow,
  FunctionRow,
  ScheduleRow,
  WebhookRow,
} from '@patchbay/contracts/rows';
import type { Storage, Write } from '@patchbay/contracts/storage';
import type { TenantId } from '@patchbay/contracts/tenant';
import type { EventKindName } from './event-kinds.ts';

/** An event for webhooks. Ids, names and counts; never prompts, outputs or code. */
export interface WebhookEvent {
  readonly type: EventKindName;
  readonly data: JsonObject;
  /** When it happened. Default: the time at which it is recorded. */
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

/** @param current The version that has a label now; undefined if there are no settings any more. */
export function settingsUpdated(
  functionId: string,
  current: { readonly version: number; readonly label: string } | undefined,
): WebhookEvent {
  const { version = null, label = null } = current ?? {};
  return { type: 'function.settings.updated', data: { functionId, deleted: current === undefined, version, label } };
}

type EndedExperiment = Pick<ExperimentRow, 'id' | 'functionId' | 'label' | 'status' | 'winner'>;

export function experimentEnded({ id, functionId, label, status, winner }: EndedExperiment): WebhookEvent {
  return { type: 'experiment.ended', data: { experimentId: id, functionId, label, status, winner } };
}

type EndedExecution = Pick<
  ExecutionRow,
  'id' | 'functionId' | 'functionVersion' | 'status' | 'durationMs' | 'error' | 'scheduleId'
>;

export function executionEnded(row: EndedExecution): WebhookEvent {
  const { id, functionId, functionVersion, status, durationMs, error, scheduleId } = row;
  const errorCode = codeOf(error);
  return {
    type: status === 'completed' ? 'execution.completed' : 'execution.failed',
    data: { executionId: id, functionId, functionVersion, status, durationMs, errorCode, scheduleId },
  };
}

type DeadExecution = Pick<
  ExecutionRow,
  'id' | 'functionId' | 'status' | 'error' | 'attempt' | 'scheduleId' | 'scheduledFor'
>;

export function deadLetterCreated(row: DeadExecution): WebhookEvent {
  const { id, functionId, status, error, attempt, scheduleId, scheduledFor } = row;
  return {
    type: 'dead_letter.created',
    data: {
      executionId: id,
      functionId,
      status,
      errorCode: codeOf(error),
      attempts: attempt ?? 0,
      scheduleId,
      scheduledFor,
    },
  };
}

function codeOf(error: JsonObject | null): string | null {
  const code = error?.['code'];
  return typeof code === 'string' ? code : null;
}

export function schedulePaused(
  { id, functionId, name }: Pick<ScheduleRow, 'id' | 'functionId' | 'name'>,
  reason: 'key_revoked',
): WebhookEvent {
  return { type: 'schedule.paused', data: { scheduleId: id, functionId, name, reason } };
}

type Given = Pick<FeedbackRow, 'id' | 'target' | 'metric' | 'value' | 'functionId' | 'model' | 'createdBy'>;

export function feedbackCreated({ id, value, createdBy, ...row }: Given): WebhookEvent {
  const { target, metric } = row;
  const orNull = (text: string) => (text === '' ? null : text);
  return {
    type: 'feedback.created',
    data: {
      feedbackId: id,
      target,
      metric,
      // Strings are content of callers.
      value: typeof value === 'string' ? null : Number(value),
      functionId: orNull(row.functionId),
      model: orNull(row.model),
      callerId: createdBy,
    },
  };
}

export function feedbackDeleted({ id, target, metric }: Pick<FeedbackRow, 'id' | 'target' | 'metric'>): WebhookEvent {
  return { type: 'feedback.deleted', data: { feedbackId: id, target, metric } };
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

/** Events to dispatch to subscribed webhooks, or again to one of them. */
export const eventTopic = 'webhook-event';

/** Webhooks for which deliveries may be due. */
export const laneTopic = 'webhook-delivery';

/** A range of time whose undelivered events are replayed to a webhook. */
export interface Replay {
  readonly webhookId: string;
  /** ISO 8601, UTC, three decimals; both included. */
  readonly since: string;
  readonly until: string;
}

/** Hand out events. */
function eventJob(eventIds: readonly string[]): NewJob {
  return { topic: eventTopic, payload: { eventIds: [...eventIds] } };
}

export function replayJob(replay: Replay): NewJob {
  return { topic: eventTopic, payload: { replay: { ...replay } } };
}

/** @returns Undefined for jobs that this version does not know: a later version may be using the same storage. */
export function readEventJob({ payload }: Pick<Job, 'payload'>): readonly string[] | Replay | undefined {
  const { eventIds, replay } = objectOf(payload);
  if (Array.isArray(eventIds)) return eventIds.map(textOf);
  const { webhookId, since, until } = objectOf(replay);
  return replay === undefined
    ? undefined
    : { webhookId: textOf(webhookId), since: textOf(since), until: textOf(until) };
}

/** Serve a lane. Without a token, the job that already holds it is made to look again. */
export function laneJob(webhookId: string, token?: string, delayMs = 0): NewJob {
  return { topic: laneTopic, payload: { webhookId, token: token ?? null }, delayMs };
}

/** The token of a job without one is its own id. */
export function readLaneJob({ id, payload }: Pick<Job, 'id' | 'payload'>) {
  const { webhookId, token } = objectOf(payload);
  return { webhookId: textOf(webhookId), token: typeof token === 'string' ? token : id, isCall: token === null };
}

function objectOf(value: JsonValue | undefined): JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as JsonObject) : {};
}

function textOf(value: JsonValue | undefined): string {
  return typeof value === 'string' ? value : '';
}

/**
 * Records events of changes for webhooks. The event, and the job that dispatches it, are writes in the same commit as
 * the change: both happen or neither.
 */
export interface WebhookOutbox {
  /**
   * The writes for events, two or more; none if no webhook of the tenant subscribes to any of them, which is read from the
   * storage each time, because another server may have just created one.
   */
  writes(tenant: TenantId, events: readonly WebhookEvent[]): Promise<readonly Write[]>;
  /** Announce that a commit contained such writes. Without it they are found by polling. */
  notify(): void;
}

export interface OutboxDependencies {
  readonly storage: Storage;
  readonly queue: Pick<Queue, 'write' | 'notify'>;
  readonly clock: Clock;
}

/** Whether a webhook subscribes to an event type. */
export function asksFor({ events }: Pick<WebhookRow, 'events'>, type: string): boolean {
  return events.includes(type) || events.includes('*');
}

/** More than a tenant may have. */
export const ALL_WEBHOOKS = { sort: 'createdAt', order: 'asc', limit: 100 } as const;

const SUBSCRIPTIONS = { ...ALL_WEBHOOKS, select: ['events'], counted: false } as const;

export function createWebhookOutbox({ storage, queue, clock }: OutboxDependencies): WebhookOutbox {
  return {
    async writes(tenant, events) {
      const { rows } = await storage.list(tenant, 'webhooks', SUBSCRIPTIONS);
      if (rows.length === 0) return [];
      const wanted = events.filter(({ type }) => rows.some((row) => asksFor(row, type)));
      if (wanted.length === 0) return [];
      const createdAt = timestamp(clock);
      const told = wanted.map(({ type, data, at }) => {
        return { id: newId('event'), revision: 1, type, createdAt: at ?? createdAt, data, webhookId: null };
      });
      const inserts = told.map((row): Write => ({ insert: 'webhookEvents', row }));
      return [...inserts, queue.write(tenant, eventJob(told.map(({ id }) => id)))];
    },
    notify: () => queue.notify(eventTopic),
  };
}
