import type { Clock } from '@patchbay/contracts/clock';
import type { RequestContext } from '@patchbay/contracts/context';
import type { CallOutcome } from '@patchbay/contracts/rows';
import { errorTypeOf } from '../../telemetry/measuring.ts';
import type { CallRecorder, NotedContext } from '../../usage/call-records.ts';
import { answerId, outcomeOf } from '../answers.ts';
import { answerDocument, requestDocument } from '../call-content.ts';
import { createDeadlineContext } from '../deadline.ts';
import type { Answer, TokenCounts } from '../gateway-service.ts';

export interface LoopDependencies {
  readonly clock: Clock;
  /** Milliseconds for one loop, across all steps. */
  readonly timeoutMs: number;
  readonly records: CallRecorder;
}

/** A loop is a separate call, whose steps are model calls and tool calls. */
export interface RecordedLoop {
  /** That of the answer. */
  readonly id: string;
  /** Of the steps. */
  readonly within: NotedContext;
  /** The first output has arrived. */
  opened(): void;
  /** Only its first end counts. */
  answered(answer: Answer & TokenCounts): void;
  failed(error: unknown): void;
  /** If it has not ended, its caller has left it. */
  close(): void;
}

export function openLoop(
  operation: 'chat' | 'generateFunctionCall',
  request: object,
  context: RequestContext,
  { clock, timeoutMs, records }: LoopDependencies,
): RecordedLoop {
  const deadline = createDeadlineContext(context, timeoutMs, clock);
  const { notes } = deadline.context;
  const id = answerId(operation);
  const startedAt = clock.monotonic();
  let firstOutputMs: number | undefined;
  let isOver = false;
  const end = (outcome: CallOutcome, answer?: Answer & TokenCounts, errorCode?: string): void => {
    if (isOver) return;
    isOver = true;
    const { model, promptTokens, completionTokens } = answer ?? {};
    const durationMs = clock.monotonic() - startedAt;
    const times = { durationMs, firstOutputMs };
    const ended = { id, outcome, errorCode, ...times, model, promptTokens, completionTokens };
    // Each of its steps has its own record and content.
    records.record(deadline.context, ended, () => ({
      request: requestDocument(request),
      ...(answer && { response: answerDocument(answer) }),
    }));
  };
  return {
    id,
    within: { ...deadline.context, ...(notes && { parent: { id, notes } }) },
    opened() {
      firstOutputMs ??= clock.monotonic() - startedAt;
    },
    answered(answer) {
      firstOutputMs ??= clock.monotonic() - startedAt;
      end('completed', answer);
    },
    failed: (error) => end(outcomeOf(error, deadline.context), undefined, errorTypeOf(error)),
    close() {
      end('cancelled');
      deadline.close();
    },
  };
}
