import { ProtocolError, SdkError, SdkErrorCode, SdkHttpError } from '@modelcontextprotocol/client';
import { PatchbayError } from '@patchbay/core/plugin';

/** Characters of a message of the server. */
const MESSAGE_LENGTH = 2_000;

/** The failure of a request to a server, and whether the connection is to be checked. */
export interface CallFault {
  readonly error: PatchbayError;
  readonly isConnection: boolean;
}

/**
 * @param thrown What the SDK or the transport threw.
 * @param name That of the server.
 */
export function callFault(thrown: unknown, name: string, timeoutMs: number): CallFault {
  const cause = rootOf(thrown);
  if (cause instanceof ProtocolError) {
    const message = `the server "${name}" of tools refused the call: ${cause.message.slice(0, MESSAGE_LENGTH)}`;
    return { error: new PatchbayError('tool_failed', message, { cause }), isConnection: false };
  }
  if (isLate(cause)) return unavailable(`the server "${name}" of tools did not respond within ${timeoutMs} ms`, cause);
  if (isInvalid(cause)) {
    const message = `the response of the server "${name}" of tools is invalid or too large`;
    return { error: new PatchbayError('tool_failed', message, { cause }), isConnection: false };
  }
  return unavailable(`the server "${name}" of tools cannot be reached`, cause);
}

function unavailable(message: string, cause: unknown): CallFault {
  return { error: new PatchbayError('tool_unavailable', message, { cause, retryAfter: 1 }), isConnection: true };
}

/** For faults of the transport, whose own words are about providers of models. */
const sentences: Readonly<Record<string, string>> = {
  unreachable: 'it accepts no connection, or its address is neither public nor among `addresses`',
  redirect: 'it redirects to another URL',
  bad_response: 'its response is invalid or too large',
};

/** One sentence for the operator, without any text of the server. */
export function describeFault(thrown: unknown): string {
  const cause = rootOf(thrown);
  if (cause instanceof SdkHttpError) return `it responded with ${cause.data?.['status'] ?? 'an error'}`;
  if (isLate(cause)) return 'it did not respond in time';
  if (PatchbayError.is(cause)) return sentences[cause.upstream?.kind ?? ''] ?? cause.message;
  if (cause instanceof SdkError) return `${cause.code}`;
  const { code } = Object(cause) as { readonly code?: unknown };
  return typeof code === 'string' ? code : 'its responses are not those of an MCP server';
}

/** The error of the transport, where the SDK wraps it. */
function rootOf(thrown: unknown): unknown {
  let error = thrown;
  for (let depth = 0; depth < 5; depth++) {
    const { cause, data } = Object(error) as { readonly cause?: unknown; readonly data?: { readonly cause?: unknown } };
    const inner = cause ?? data?.cause;
    // Errors that a server sends are data: only an `Error` is a fault of this process.
    if (PatchbayError.is(error) || !(inner instanceof Error)) return error;
    error = inner;
  }
  return error;
}

function isLate(cause: unknown): boolean {
  if (cause instanceof SdkError) return cause.code === SdkErrorCode.RequestTimeout;
  if (PatchbayError.is(cause)) return cause.upstream?.kind === 'timeout';
  return cause instanceof DOMException && cause.name === 'TimeoutError';
}

function isInvalid(cause: unknown): boolean {
  if (PatchbayError.is(cause)) return cause.upstream?.kind === 'bad_response';
  return cause instanceof SdkError && cause.code === SdkErrorCode.InvalidResult;
}
