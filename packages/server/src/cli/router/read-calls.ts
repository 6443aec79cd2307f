import type { Client } from '@patchbay/client';
import type { RecordedCall } from '../call-actions.ts';
import { listAll } from '../remote.ts';
import type { NamedTask } from './find-task.ts';
import type { Chances } from './off-policy.ts';

/** A call whose model was chosen at random, with its outcome. */
export interface ReplayedCall {
  readonly task: string;
  /** The model that was put first, which another one may have replaced. */
  readonly model: string;
  readonly chances: Chances;
  readonly outcome: RecordedCall['outcome'];
  /** USD. Undefined if a price is not known. */
  readonly cost: number | undefined;
  /** Undefined without feedback. */
  readonly score: number | undefined;
  /** Milliseconds since 1970. */
  readonly scoredAt: number | undefined;
  readonly endedAt: number;
  readonly durationMs: number;
  readonly promptTokens: number;
  readonly completionTokens: number;
}

interface Feedback {
  readonly target: string;
  readonly value: boolean | number | string;
  readonly createdAt: string;
}

export interface ReadCalls {
  /** In the order in which they ended. */
  readonly calls: readonly ReplayedCall[];
  /** All calls, including those whose model was not chosen at random. */
  readonly total: number;
}

interface Wanted {
  readonly since: string;
  readonly task: NamedTask | undefined;
  readonly metric: string;
}

export async function readCalls(client: Client, wanted: Wanted, signal: AbortSignal): Promise<ReadCalls> {
  const { since, task, metric } = wanted;
  const filter = new URLSearchParams({ since, ...(task?.id !== undefined && { functionId: task.id }) });
  const scores = new Map<string, Feedback>();
  const given = new URLSearchParams({ since, metric, ...(task?.id !== undefined && { functionId: task.id }) });
  for await (const each of listAll<Feedback>(client, `/feedback?${given.toString()}`, signal)) {
    if (typeof each.value !== 'string') scores.set(each.target, each);
  }
  const calls: ReplayedCall[] = [];
  let total = 0;
  for await (const record of listAll<RecordedCall>(client, `/calls?order=asc&${filter.toString()}`, signal)) {
    if (task && task.id === undefined && record.name !== task.name) continue;
    if (record.model === null || record.outcome === 'cached' || record.outcome === 'cancelled') continue;
    total += 1;
    const replayed = replayedCall(record, scores.get(record.id) ?? scores.get(record.executionId ?? ''));
    if (replayed) calls.push(replayed);
  }
  return { calls, total };
}

/** Undefined if the model was not chosen at random. */
function replayedCall(record: RecordedCall, feedback: Feedback | undefined): ReplayedCall | undefined {
  const candidates = record.decision?.candidates ?? [];
  const [first] = candidates;
  // A probability of 1 leaves nothing to compare with.
  if (!first || first.propensity <= 0 || first.propensity >= 1) return undefined;
  const { functionId, name, outcome, cost, durationMs, promptTokens, completionTokens } = record;
  return {
    task: functionId ?? name ?? '',
    model: first.model,
    chances: Object.fromEntries(candidates.map(({ model, propensity }) => [model, propensity])),
    outcome,
    cost: cost === null ? undefined : Number(cost.amount),
    score: feedback && Number(feedback.value),
    scoredAt: feedback && Date.parse(feedback.createdAt),
    endedAt: Date.parse(record.createdAt),
    durationMs,
    promptTokens,
    completionTokens,
  };
}
