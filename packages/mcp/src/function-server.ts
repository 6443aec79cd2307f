import {
  type JSONRPCRequest,
  ProtocolError,
  ProtocolErrorCode,
  type Result,
  Server,
  type ServerContext,
} from '@modelcontextprotocol/server';

type Handler = (request: JSONRPCRequest, context: ServerContext) => Promise<Result>;

/** The library's server, whose tool calls may also return a task. */
export class FunctionServer extends Server {
  protected override _wrapHandler(method: string, handler: Handler): Handler {
    const handle = refusingParams(method, handler);
    if (method !== 'tools/call') return super._wrapHandler(method, handle);
    return async (request, context) => {
      const result = await handle(request, context);
      // The library treats every result as that of a tool.
      return result['resultType'] === 'task'
        ? result
        : await super._wrapHandler(method, async () => result)(request, context);
    };
  }
}

/** Parameters that do not match are a fault of the request; the library reports them as an internal error. Handlers throw protocol errors only. */
function refusingParams(method: string, handler: Handler): Handler {
  return async (request, context) => {
    try {
      return await handler(request, context);
    } catch (error) {
      if (error instanceof ProtocolError) throw error;
      throw new ProtocolError(
        ProtocolErrorCode.InvalidParams,
        `Invalid ${method} request: ${(error as Error).message}`,
      );
    }
  };
}
