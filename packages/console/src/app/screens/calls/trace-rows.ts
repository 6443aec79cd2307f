import type { CallRecord } from '../../api/operations.generated.ts';

type Step = CallRecord['steps'][number];

/** A bar of the waterfall. */
export interface TraceRow extends Pick<Step, 'name' | 'id' | 'code' | 'detail' | 'errors'> {
  readonly kind: Step['kind'] | 'queue' | 'code' | 'answer';
  /** Milliseconds from the beginning of the call; negative in the queue. */
  readonly atMs: number;
  readonly durationMs: number;
}

/** The steps of a call, in the order in which they began. */
export function traceRows(call: CallRecord): readonly TraceRow[] {
  const steps = call.steps.map((step): TraceRow => ({ atMs: call.durationMs, durationMs: 0, ...step }));
  const rows = [...waiting(call), ...steps, ...answer(call, steps)];
  return rows.toSorted((one, other) => one.atMs - other.atMs);
}

function waiting({ queuedMs }: CallRecord): readonly TraceRow[] {
  return queuedMs === null ? [] : [{ kind: 'queue', atMs: -queuedMs, durationMs: queuedMs }];
}

/** The work that the steps do not cover: that of code, or of the model after all failures. */
function answer(call: CallRecord, steps: readonly TraceRow[]): readonly TraceRow[] {
  const { model, durationMs, errorCode } = call;
  const code = errorCode === null ? {} : { code: errorCode };
  if (model === null) return [{ kind: 'code', name: call.name ?? '', atMs: 0, durationMs, ...code }];
  const before = steps.filter(({ kind }) => kind === 'attempt' || kind === 'repair');
  if (call.outcome === 'failed' && before.some(({ kind }) => kind === 'attempt')) return [];
  const atMs = Math.min(durationMs, Math.max(0, ...before.map((step) => step.atMs + step.durationMs)));
  return [{ kind: 'answer', name: model, atMs, durationMs: durationMs - atMs, ...code }];
}
