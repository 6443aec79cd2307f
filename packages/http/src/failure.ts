import type { App, ErrorCode } from '@patchbay/core';
import type { Exchange } from './exchange.ts';
import { isKnown, type ProblemReply, problemReply } from './output/problem.ts';

// A server that stops, or has much to do, is nothing that somebody has to look at. The access log has the requests.
const expected: ReadonlySet<ErrorCode> = new Set(['shutting_down', 'overloaded']);

/** The reply to a request that failed; writes to the log what nobody is told. */
export function failure(error: unknown, { context, requestId }: Exchange, app: App): ProblemReply {
  // What an aborted call throws is whatever its library throws; why it was aborted is what the caller has to know.
  const reason: unknown = context?.signal.aborted ? context.signal.reason : undefined;
  const cause = !isKnown(error) && isKnown(reason) ? reason : error;
  const reply = problemReply(cause, requestId, (text) => app.host.redact(text));
  if (reply.status >= 500) logFailure(cause, error, requestId, app);
  return reply;
}

/** An error of the log is a fault of ours. What an upstream does, or a provider that is off, is a condition: a warning. */
function logFailure(cause: unknown, error: unknown, requestId: string, { host: { logger } }: App): void {
  if (!isKnown(cause) || cause.code === 'internal_error') {
    logger.error('request failed', { requestId, error });
    return;
  }
  if (expected.has(cause.code)) return;
  const { code, message: detail, upstream } = cause;
  const hasMore = cause !== error || cause.cause !== undefined;
  const level = hasMore && upstream === undefined ? 'error' : 'warn';
  logger[level]('request failed', {
    requestId,
    code,
    detail,
    ...(upstream && { upstream }),
    ...(hasMore && { error }),
  });
}
