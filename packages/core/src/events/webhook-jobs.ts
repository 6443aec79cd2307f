import type { JsonObject, JsonValue } from '../contracts/json.ts';
import type { Job, NewJob } from '../contracts/queue.ts';

/** Events that are to be handed to the webhooks which ask for them, or to one once more. */
export const eventTopic = 'webhook-event';

/** Webhooks for which deliveries may be due. */
export const laneTopic = 'webhook-delivery';

/** Events from a span of time that a webhook is to be told again, as far as it has not taken them. */
export interface Replay {
  readonly webhookId: string;
  /** ISO 8601, UTC, three decimals; both included. */
  readonly since: string;
  readonly until: string;
}

/** Hand out events. */
export function eventJob(eventIds: readonly string[]): NewJob {
  return { topic: eventTopic, payload: { eventIds: [...eventIds] } };
}

export function replayJob(replay: Replay): NewJob {
  return { topic: eventTopic, payload: { replay: { ...replay } } };
}

/** @returns Undefined for what this version does not know: a later one may be at work on the same storage. */
export function readEventJob({ payload }: Pick<Job, 'payload'>): readonly string[] | Replay | undefined {
  const { eventIds, replay } = objectOf(payload);
  if (Array.isArray(eventIds)) return eventIds.map(textOf);
  const { webhookId, since, until } = objectOf(replay);
  return replay === undefined
    ? undefined
    : { webhookId: textOf(webhookId), since: textOf(since), until: textOf(until) };
}

/** See to a lane. Without a token, whoever else does so is told to look again. */
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
