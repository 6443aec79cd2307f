import { AsyncLocalStorage } from 'node:async_hooks';
import { type Transport as McpTransport, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio';
import { PatchbayError } from '@patchbay/core/plugin';
import type { Transport } from '@patchbay/core/provider';
import type { ServerConfig } from './server-options.ts';

/** Opens connections to one server. */
export interface ServerTransport {
  open(): McpTransport;
  /** Run `work`, whose requests end when the signal aborts. */
  within<T>(signal: AbortSignal, work: () => Promise<T>): Promise<T>;
}

export interface TransportSource {
  readonly config: ServerConfig;
  readonly transport: Transport;
  readonly mount: string;
  readonly directory: string;
  readonly env: Readonly<Record<string, string | undefined>>;
}

/** Bytes of one response: that of a call, or a page of the list. */
const MAX_RESPONSE_BYTES = 8_388_608;

/** @throws PatchbayError `config_invalid` unless the options name one way to reach the server, which the operator allows. */
export function createServerTransport(source: TransportSource): ServerTransport {
  const { url, program } = source.config;
  if ((url === undefined) === (program === undefined)) {
    throw new PatchbayError('config_invalid', `${source.mount} needs either a url or a program`);
  }
  return url === undefined ? programTransport(source) : urlTransport(url, source);
}

function urlTransport(url: string, { config, transport }: TransportSource): ServerTransport {
  const { addresses, headers = {}, maxResultBytes, timeoutMs } = config;
  const guarded = transport.createFetch({
    baseUrl: url,
    addresses,
    firstByteMs: timeoutMs,
    maxBodyBytes: Math.max(MAX_RESPONSE_BYTES, 2 * maxResultBytes),
  });
  const callSignal = new AsyncLocalStorage<AbortSignal>();
  // The SDK notifies servers of 2025 of a cancellation, but keeps its request to them open.
  const fetch: typeof guarded = (input, init) => {
    const own = callSignal.getStore();
    // The message that cancels a call is sent after its signal was aborted.
    const signals = [init?.signal, own?.aborted ? undefined : own].filter((signal) => signal instanceof AbortSignal);
    return guarded(input, { ...init, signal: signals.length > 0 ? AbortSignal.any(signals) : null });
  };
  return {
    open: () => new StreamableHTTPClientTransport(new URL(url), { fetch, requestInit: { headers: { ...headers } } }),
    within: (signal, work) => callSignal.run(signal, work),
  };
}

function programTransport({ config, mount, directory, env }: TransportSource): ServerTransport {
  const { command = '', args = [], env: own = {} } = config.program ?? {};
  const name = mount.slice(mount.indexOf('.') + 1);
  const allowed = (env['PATCHBAY_TOOL_PROGRAMS'] ?? '').split(',').map((each) => each.trim());
  if (!allowed.includes(name)) {
    const message = `${mount} starts a program, which needs "${name}" in the environment variable PATCHBAY_TOOL_PROGRAMS`;
    throw new PatchbayError('config_invalid', message);
  }
  return {
    open: () =>
      new StdioClientTransport({
        command,
        args: [...args],
        env: { ...own },
        cwd: directory,
        // It may contain anything, and a log is no place for it.
        stderr: 'ignore',
        maxBufferSize: Math.max(MAX_RESPONSE_BYTES, 2 * config.maxResultBytes),
      }),
    within: (_, work) => work(),
  };
}
