import type { Clock } from '@patchbay/contracts/clock';
import type { RequestContext } from '@patchbay/contracts/context';
import { PatchbayError } from '@patchbay/contracts/errors';
import type { CallOutcome } from '@patchbay/contracts/rows';
import { errorTypeOf } from '../telemetry/model-measures.ts';
import { type NotedContext, openNotes } from '../usage/call-notes.ts';
import { isTimeUp } from '../usage/open-call.ts';
import { answerId } from './answers.ts';
import type { FailedAttempt } from './attempt.ts';
import type { CallResponse } from './call-content.ts';
import type { GatewayListener, StartedCall } from './gateway-listener.ts';
import type { TokenCounts } from './gateway-service.ts';

/** The answer of a call so far. */
export interface CallAnswer {
  readonly id: string;
  readonly model: string;
  readonly failed: readonly FailedAttempt[];
}

/** Reports the end of a call. Only its first end counts. */
export interface CallEnd {
  /** A model responded: for a stream, its first output arrived. */
  opened(): void;
  answered(answer: CallAnswer, outcome: CallOutcome, tokens?: Partial<TokenCounts>, response?: CallResponse): void;
  /** @param answer Absent if no model has responded. */
  failed(error: unknown, answer?: CallAnswer): void;
}

export function createCallEnd(
  listener: Pick<GatewayListener, 'ended'> | undefined,
  clock: Pick<Clock, 'monotonic'>,
  call: StartedCall,
  context: NotedContext,
): CallEnd {
  const { startedAt, now } = context.notes ?? openNotes(clock);
  let isOver = false;
  let firstOutputMs: number | undefined;
  const report = (
    answer: CallAnswer,
    outcome: CallOutcome,
    tokens?: Partial<TokenCounts>,
    more: { readonly errorCode?: string; readonly response?: CallResponse | undefined } = {},
  ) => {
    if (isOver) return;
    isOver = true;
    listener?.ended(context, {
      ...call,
      ...answer,
      outcome,
      ...more,
      tokens,
      firstOutputMs,
      durationMs: now() - startedAt,
    });
  };
  return {
    opened() {
      firstOutputMs = now() - startedAt;
    },
    answered: (answer, outcome, tokens, response) => report(answer, outcome, tokens, { response }),
    failed: (error, answer = { id: answerId(call.operation), ...lastOf(error) }) =>
      report(answer, outcomeOf(error, context), undefined, { errorCode: errorTypeOf(error) }),
  };
}

/** How a call ends with an error. */
export function outcomeOf(error: unknown, { signal }: Pick<RequestContext, 'signal'>): CallOutcome {
  return signal.aborted && error === signal.reason && !isTimeUp(signal) ? 'cancelled' : 'failed';
}

/** The model that failed last, and all that did, as their error lists them. */
function lastOf(error: unknown): Pick<CallAnswer, 'model' | 'failed'> {
  const { attempts = [] } = PatchbayError.is(error) ? error.extensions : {};
  const failed = attempts as unknown as readonly FailedAttempt[];
  return { model: failed.at(-1)?.model ?? '', failed };
}
