import { newId } from '@patchbay/contracts/base/type-id';
import type { Clock } from '@patchbay/contracts/clock';
import type { AnsweredCall } from '@patchbay/contracts/context';
import type { ExecutionRow, UsageDimensions } from '@patchbay/contracts/rows';
import type { GivenContent } from '../../content/stored-content.ts';
import { type CallNotes, type NotedContext, openNotes } from '../../usage/call-notes.ts';
import type { CallRecorder } from '../../usage/call-records.ts';
import { withContent } from '../by-model/do-task.ts';
import { modelUseOf } from './model-use.ts';
import type { RunRequest } from './run-execution.ts';

/** The context of a run, whose call has the id that its caller knows. */
export interface RunContext extends NotedContext {
  readonly call: AnsweredCall;
  readonly notes: CallNotes;
}

export function runContext({ source, started, run }: RunRequest, clock: Clock): RunContext {
  const { context } = run;
  const { createdAt, principal } = started;
  const call = {
    // Each repetition is another call.
    id: run.attempt > 1 ? newId('call') : started.id,
    name: source.name,
    ...context.call,
    // Asynchronous executions have the principal of their caller, and are queued first.
    ...(principal && { queuedMs: Math.max(0, clock.now() - Date.parse(createdAt)) }),
  };
  return { ...withContent(context, started.policy ?? {}), call, notes: openNotes(clock) };
}

/** The context of a run's host calls. */
export const withinRun = (context: RunContext): NotedContext => ({
  ...context,
  parent: { id: context.call.id, notes: context.notes },
});

interface EndedRun {
  readonly outcome: UsageDimensions['outcome'];
  readonly durationMs: number;
  /** Of the error, if it did not complete. */
  readonly code: string;
  readonly ended: Partial<Pick<ExecutionRow, 'usage' | 'logs' | 'output'>> | undefined;
}

/** Record a run as a call, unless a model answered: the gateway records that. */
export function recordRun(
  records: CallRecorder,
  { source, started }: RunRequest,
  context: RunContext,
  { outcome, durationMs, code, ended }: EndedRun,
): void {
  const { model, settingsVersion, cached, tokens } = modelUseOf({ usage: ended?.usage ?? null, logs: [] });
  if (source.code === '' && !cached) return;
  const isCancelled = outcome === 'cancelled' || outcome === 'interrupted';
  const others = isCancelled ? 'cancelled' : 'failed';
  const content = (): GivenContent => ({
    request: { input: started.effectiveInput ?? started.input },
    ...(ended?.output && { response: { output: ended.output } }),
  });
  const record = {
    id: started.id,
    functionId: source.id,
    executionId: started.id,
    model: cached ? model : undefined,
    settingsVersion,
    outcome: cached ? 'cached' : outcome === 'completed' ? 'completed' : others,
    errorCode: code || null,
    promptTokens: tokens.promptTokens,
    completionTokens: tokens.completionTokens,
    durationMs,
  } as const;
  records.record(withContent(context, context.notes), record, content);
}
