import type { RequestContext } from '../contracts/context.ts';
import type { FailedAttempt } from './attempt.ts';
import type { Answer, TokenCounts } from './gateway-service.ts';

/** Told of what callers of the gateway do not see in one piece. */
export interface GatewayListener {
  /** A model answered after others had failed. */
  fellBack(context: RequestContext, model: string, failed: readonly FailedAttempt[]): void;
  /** A stream is through. */
  streamed(kind: 'chat' | 'generation' | 'call', context: RequestContext, answer: Answer & TokenCounts): void;
  /** A stream was cut, after a part of it was there. */
  streamFailed(kind: 'chat' | 'generation' | 'call', context: RequestContext, error: unknown): void;
}
