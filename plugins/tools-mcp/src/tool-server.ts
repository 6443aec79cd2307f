import { type Logger, PatchbayError, type ToolServer } from '@patchbay/core/plugin';
import { callFault } from './call-fault.ts';
import { createServerTransport, type TransportSource } from './open-transport.ts';
import { readResult } from './read-result.ts';
import { ServerConnection } from './server-connection.ts';

/** @throws PatchbayError `config_invalid`. */
export function createToolServer(source: TransportSource & { readonly logger: Logger }): ToolServer {
  const { timeoutMs, maxResultBytes } = source.config;
  const transport = createServerTransport(source);
  const connection = new ServerConnection(source.config, transport, source.logger);

  const name = source.mount.slice(source.mount.indexOf('.') + 1);
  const unavailable = (): PatchbayError =>
    new PatchbayError('tool_unavailable', `the server "${name}" of tools cannot be reached`, { retryAfter: 1 });

  return {
    start: async () => connection.start(),
    stop: () => connection.stop(),

    async health() {
      const { fault, listing, client } = connection;
      if (fault !== undefined) return { status: 'warn', detail: `the server cannot be reached: ${fault}` };
      if (client === undefined) return { status: 'warn', detail: 'there is no connection to the server yet' };
      if (listing?.isCut) return { status: 'warn', detail: 'the server lists more tools than may be used' };
      return { status: 'pass' };
    },

    async tools() {
      await connection.attempted;
      if (connection.listing === undefined) throw unavailable();
      return connection.listing.tools;
    },

    async call(tool, given, context) {
      const { client, listing } = connection;
      if (client === undefined) throw unavailable();
      const toolDefinition = listing?.sent.find(({ name: sent }) => sent === tool);
      // The SDK tells a server that the call is over, and the signal closes the request to it.
      const signal = AbortSignal.any([context.signal, AbortSignal.timeout(timeoutMs)]);
      try {
        signal.throwIfAborted();
        const params = { name: tool, arguments: { ...given } };
        const options = { signal, timeout: timeoutMs + 1_000, ...(toolDefinition && { toolDefinition }) };
        return readResult(await transport.within(signal, () => client.callTool(params, options)), maxResultBytes);
      } catch (cause) {
        context.signal.throwIfAborted();
        if (PatchbayError.is(cause) && cause.code === 'tool_failed') throw cause;
        const { error, isConnection } = callFault(signal.aborted ? signal.reason : cause, name, timeoutMs);
        if (isConnection) connection.check();
        throw error;
      }
    },
  };
}
