import { ProtocolError, ProtocolErrorCode } from '@modelcontextprotocol/server';
import { type App, type ErrorCode, PatchbayError } from '@patchbay/core';
import type { RequestContext } from '@patchbay/core/plugin';

/** Faults of a message, not of the server. */
const invalid: ReadonlySet<ErrorCode> = new Set(['invalid_request', 'function_not_found', 'insufficient_scope']);

/** Runs handlers of methods, without sending any part of an error that its caller may not see. */
export function answering({ logger }: RequestContext, { host }: App): <T>(handle: () => Promise<T>) => Promise<T> {
  return async (handle) => {
    try {
      return await handle();
    } catch (error) {
      if (error instanceof ProtocolError) throw error;
      if (!PatchbayError.is(error)) logger.error('request failed', { error });
      const { code, message } = PatchbayError.is(error) ? error : hidden;
      const protocolCode = invalid.has(code) ? ProtocolErrorCode.InvalidParams : ProtocolErrorCode.InternalError;
      throw new ProtocolError(protocolCode, host.redact(message), { code });
    }
  };
}

const hidden = { code: 'internal_error', message: 'the cause is in the log of the server' } as const;
