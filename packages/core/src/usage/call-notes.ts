import type { Clock } from '@patchbay/contracts/clock';
import type { ContentLevel } from '@patchbay/contracts/content';
import type { RequestContext } from '@patchbay/contracts/context';
import type { PatchbayError } from '@patchbay/contracts/errors';
import type { JsonValue } from '@patchbay/contracts/json';
import type { CallStep } from '@patchbay/contracts/rows';
import type { RejectedOutput } from '../content/stored-content.ts';

/** The record of a call before its end. */
export interface CallNotes {
  /** The monotonic clock. */
  readonly now: Clock['monotonic'];
  readonly startedAt: number;
  /** Of all models that were called so far. Null if the price of any is not known. */
  costNanoUsd: number | null;
  /** Null until there is one: most calls have none. */
  steps: CallStep[] | null;
  /** The most that may be stored of the content of the call, by the settings that it was made with. */
  content?: ContentLevel;
  /** Outputs for which the model was asked again. Null until there is one. */
  rejected: RejectedOutput[] | null;
}

/** A context with the notes of its call. */
export interface NotedContext extends RequestContext {
  readonly notes?: CallNotes;
  /** The call that makes this one: an execution, or a tool loop. */
  readonly parent?: { readonly id: string; readonly notes: CallNotes };
}

export const openNotes = ({ monotonic }: Pick<Clock, 'monotonic'>): CallNotes => ({
  now: monotonic,
  startedAt: monotonic(),
  costNanoUsd: 0,
  steps: null,
  rejected: null,
});

export function spend(notes: CallNotes | undefined, costNanoUsd: number | null): void {
  if (!notes) return;
  const { costNanoUsd: before } = notes;
  notes.costNanoUsd = before === null || costNanoUsd === null ? null : before + costNanoUsd;
}

/** The most steps that a call keeps. Code can make thousands. */
const MOST_STEPS = 100;

const MOST_ERRORS = 5;
const LONGEST_DETAIL = 300;

/** A step without its times. */
type UntimedStep = Omit<Exclude<CallStep, { readonly kind: 'omitted' }>, 'atMs' | 'durationMs'>;

/**
 * Note work for a call that has just ended.
 *
 * @param from When it began, by the clock of the notes.
 */
export function noteStep(notes: CallNotes | undefined, from: number, step: UntimedStep): void {
  if (!notes) return;
  notes.steps ??= [];
  const { steps, startedAt } = notes;
  if (steps.length < MOST_STEPS) {
    steps.push({ ...step, atMs: Math.round(from - startedAt), durationMs: Math.round(notes.now() - from) });
    return;
  }
  const last = steps.at(-1);
  const before = last?.kind === 'omitted' ? last.count : 0;
  steps[MOST_STEPS] = { kind: 'omitted', count: before + 1 };
}

/** Note an output that did not match. The error in its step has the details. */
export function noteRejected(notes: CallNotes | undefined, model: string, output: JsonValue, step: UntimedStep): void {
  if (!notes) return;
  notes.rejected ??= [];
  if (notes.rejected.length < MOST_STEPS) notes.rejected.push({ model, output, errors: step.errors ?? [] });
}

/** A step that failed. Code and message are those that callers see. */
export function failedStep(
  kind: UntimedStep['kind'],
  name: string,
  { code, message, errors }: Pick<PatchbayError, 'code' | 'message' | 'errors'>,
): UntimedStep {
  const failed = { kind, name, code, detail: message.slice(0, LONGEST_DETAIL) };
  if (errors.length === 0) return failed;
  const shown = errors.slice(0, MOST_ERRORS).map(({ pointer, detail }) => ({
    pointer: pointer.slice(0, LONGEST_DETAIL),
    detail: detail.slice(0, LONGEST_DETAIL),
  }));
  return { ...failed, errors: shown };
}
