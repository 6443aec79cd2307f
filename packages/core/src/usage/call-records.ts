import { createTimestamps } from '@patchbay/contracts/base/clock';
import type { Clock } from '@patchbay/contracts/clock';
import type { ContentLevel } from '@patchbay/contracts/content';
import type { RequestContext } from '@patchbay/contracts/context';
import type { PatchbayError } from '@patchbay/contracts/errors';
import type { FunctionSettings } from '@patchbay/contracts/function-settings';
import type { JsonValue } from '@patchbay/contracts/json';
import type { CallRecordRow, CallStep } from '@patchbay/contracts/rows';
import { lowerLevel } from '../call-content/content-level.ts';
import type { ContentRecorder, ContentSource } from '../call-content/content-recorder.ts';
import type { RejectedOutput } from '../call-content/stored-content.ts';
import type { UsageLedger } from './usage-ledger.ts';

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

/** The end of a call, as far as its request does not tell it. */
type EndedCall = Pick<CallRecordRow, 'id' | 'outcome' | 'durationMs'> & {
  readonly [F in keyof Omit<
    CallRecordRow,
    | 'id'
    | 'revision'
    | 'outcome'
    | 'durationMs'
    | 'costNanoUsd'
    | 'parentId'
    | 'queuedMs'
    | 'steps'
    | 'keyId'
    | 'requestId'
    | 'createdAt'
  >]?: CallRecordRow[F] | undefined;
};

/** Records what answered calls, how it was chosen, and how they ended. */
export interface CallRecorder {
  /**
   * Never fails and never waits.
   *
   * @param ended If a model answers the call of the context, that call counts.
   * @param content Called if it is stored.
   */
  record(context: NotedContext, ended: EndedCall, content?: ContentSource): void;
  /** How much of the content of a call is stored, for those who have to collect it. */
  contentLevel(context: Pick<RequestContext, 'content' | 'trial'>): ContentLevel;
  /** The end of a call without a record, as a step of the call that made it. */
  note(context: NotedContext, ended: Omit<EndedCall, 'id'>): void;
}

/** The longest name that is recorded: clients control the length of the names they call. */
const LONGEST_NAME = 255;

interface KeptContents {
  /** Those in force. */
  readonly options: () => { readonly content: ContentLevel };
  readonly recorder: Pick<ContentRecorder, 'keep'>;
}

/** @param contents Default: none are stored. */
export function createCallRecorder(
  ledger: Pick<UsageLedger, 'recordCall'>,
  clock: Clock,
  contents?: KeptContents,
): CallRecorder {
  const timestamp = createTimestamps(clock);
  const note = ({ parent }: NotedContext, ended: Omit<EndedCall, 'id'>, name: string, id?: string): void => {
    if (!parent) return;
    const isFailed = ended.outcome === 'failed' || ended.outcome === 'cancelled';
    noteStep(parent.notes, parent.notes.now() - ended.durationMs, {
      kind: 'call',
      name: name || ended.model || '',
      ...(id !== undefined && { id }),
      ...(isFailed && { code: ended.errorCode ?? ended.outcome }),
    });
  };

  const contentLevel: CallRecorder['contentLevel'] = ({ content, trial }) => {
    const { content: configured } = contents?.options() ?? { content: 'off' };
    return configured === 'off' ? configured : lowerLevel(lowerLevel(configured, content), trial?.content);
  };

  return {
    note: (context, ended) => note(context, ended, ''),

    contentLevel,

    record(context, ended, content) {
      const { caller, requestId, execution, call, notes, parent } = context;
      const id = call?.id ?? ended.id;
      const name = (ended.name ?? call?.name ?? '').slice(0, LONGEST_NAME);
      const costNanoUsd = notes ? notes.costNanoUsd : 0;
      note(context, ended, name, id);
      spend(parent?.notes, costNanoUsd);
      const createdAt = timestamp();
      ledger.recordCall(caller.tenant, {
        id,
        revision: 1,
        functionId: ended.functionId ?? call?.functionId ?? '',
        name,
        settingsVersion: ended.settingsVersion ?? call?.settingsVersion ?? null,
        model: ended.model ?? '',
        outcome: ended.outcome,
        errorCode: ended.errorCode ?? null,
        decision: ended.decision ?? null,
        attempts: ended.attempts ?? [],
        costNanoUsd,
        promptTokens: ended.promptTokens ?? 0,
        completionTokens: ended.completionTokens ?? 0,
        durationMs: Math.max(0, Math.round(ended.durationMs)),
        parentId: parent?.id ?? null,
        queuedMs: call?.queuedMs ?? null,
        firstOutputMs: ended.firstOutputMs == null ? null : Math.round(ended.firstOutputMs),
        steps: notes?.steps ?? null,
        executionId: ended.executionId ?? execution?.id ?? '',
        keyId: caller.id,
        requestId,
        createdAt,
      });
      const level = contentLevel(context);
      if (content && level !== 'off') contents?.recorder.keep(caller.tenant, { id, createdAt, level }, content);
    },
  };
}

/** The context of work for a function, whose settings can only lower how much of the content of calls is stored. */
export function withContent<C extends RequestContext>(context: C, { content }: Pick<FunctionSettings, 'content'>): C {
  return content === undefined ? context : { ...context, content: lowerLevel(content, context.content) };
}
