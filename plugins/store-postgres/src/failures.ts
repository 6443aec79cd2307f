import { PatchbayError } from '@patchbay/core/plugin';
import failureReasons from './failure-reasons.json' with { type: 'json' };

/** The code of what the server or the network refused, such as `40P01` or `ECONNREFUSED`. */
export function failureCode(error: unknown): string | undefined {
  if (typeof error !== 'object' || error === null) return undefined;
  if ('code' in error && typeof error.code === 'string') return error.code;
  // Several addresses were tried, and each failed with its own error.
  if ('errors' in error && Array.isArray(error.errors)) return failureCode(error.errors[0]);
  return undefined;
}

/** A unique constraint refused the statement. */
export function isTaken(error: unknown): boolean {
  return failureCode(error) === '23505';
}

/** The transaction was aborted in favour of another one and changed nothing: it may be retried. */
export function gaveWay(error: unknown): boolean {
  const code = failureCode(error);
  return code === '40P01' || code === '40001';
}

/** Data exceptions, values that are missing or break a check, and those beyond a limit of the server. */
const rejections = /^(22|23502|23514|54)/;

/** The error for the caller. A value that does not fit its field is the caller's own fault. */
export function toStorageError(error: unknown): unknown {
  if (rejections.test(failureCode(error) ?? '')) {
    return new TypeError('a value is not of the type of its field', { cause: error });
  }
  return error instanceof TypeError || error instanceof RangeError
    ? error
    : unavailable('the storage could not do this right now', error);
}

/** A failure of the database, as callers get to see it. */
export function unavailable(message: string, cause?: unknown): PatchbayError {
  return new PatchbayError('storage_unavailable', message, { cause, retryAfter: 1 });
}

const reasons: Readonly<Record<string, string>> = failureReasons;

/** The reason in a sentence for an operator, without an address, a password or SQL. */
export function describeFailure(error: unknown): string {
  const code = failureCode(error);
  if (code === undefined) return isTimeout(error) ? 'it does not answer in time' : 'the connection failed';
  const reason =
    reasons[code] ?? (code.startsWith('08') || code.startsWith('57P') ? 'the connection was broken' : undefined);
  return `${reason ?? 'the database failed'} (${code})`;
}

function isTimeout(error: unknown): boolean {
  return error instanceof Error && /time(d )?out/i.test(error.message);
}
