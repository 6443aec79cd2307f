import { type JSONRPCRequest, type Result, Server, type ServerContext } from '@modelcontextprotocol/server';

type Handler = (request: JSONRPCRequest, context: ServerContext) => Promise<Result>;

/** A server whose tool calls may return a task. The one of the library takes every result for that of a tool. */
export class TaskServer extends Server {
  protected override _wrapHandler(method: string, handler: Handler): Handler {
    if (method !== 'tools/call') return super._wrapHandler(method, handler);
    return async (request, context) => {
      const result = await handler(request, context);
      return result['resultType'] === 'task'
        ? result
        : await super._wrapHandler(method, async () => result)(request, context);
    };
  }
}
