import { PatchbayError } from '../contracts/errors.ts';
import type { Lifecycle } from '../contracts/lifecycle.ts';
import { providerError } from '../contracts/provider-error.ts';
import type { Transport, TransportOptions } from '../contracts/transport.ts';
import { Call, type CallLimits } from './call.ts';
import { type ClientClass, Connections } from './connections.ts';
import { outgoingRequest } from './outgoing-request.ts';

const defaults: CallLimits = {
  connectMs: 5_000,
  firstByteMs: 30_000,
  idleMs: 20_000,
  totalMs: 120_000,
  maxBodyBytes: 16 * 1024 * 1024,
};

/**
 * The transport of a host. One is enough for any number of providers: each `createFetch` has connections of its own.
 *
 * Bodies are sent as strings or bytes. Answers are never packed: none is asked for, and one that is packed all the same
 * is `bad_response`, as is one with more than 16 KiB or 128 of headers. `stop` closes what is left.
 *
 * @example
 * ```ts
 * import { createTransport } from '@patchbay/core';
 *
 * const transport = createTransport();
 * const fetch = transport.createFetch({ baseUrl: 'http://127.0.0.1:11434/v1', firstByteMs: 60_000 });
 * const response = await fetch('http://127.0.0.1:11434/v1/models', { signal: AbortSignal.timeout(5_000) });
 * console.log(response.status, await response.json());
 * await transport.stop();
 * ```
 */
export function createTransport(): Transport & Required<Pick<Lifecycle, 'stop'>> {
  const opened = new Set<Connections>();
  let clientClass: Promise<ClientClass> | undefined;
  let stopped = false;

  // undici takes 100 ms to load, which a host without a provider that is asked never has to spend.
  const loadClient = async () => (await import('undici')).Client;

  const open = async (origin: URL): Promise<Connections> => {
    clientClass ??= loadClient();
    const connections = new Connections(await clientClass, origin);
    opened.add(connections);
    return connections;
  };

  return {
    createFetch(options: TransportOptions): typeof fetch {
      const limits = { ...defaults, ...definedOf(options) };
      const origin = originOf(options.baseUrl);
      let connections: Promise<Connections> | undefined;

      return async (input, init = {}) => {
        const request = await outgoingRequest(input, init);
        if (request.url.origin !== origin.origin) {
          throw providerError('unreachable', 'a provider may reach its own base URL only');
        }
        connections ??= open(origin);
        const ready = await connections;
        request.signal?.throwIfAborted();
        if (stopped) throw new PatchbayError('shutting_down', 'the way out to model providers is closed');
        return new Call(request, limits, ready).send();
      };
    },

    async stop() {
      stopped = true;
      const reason = new PatchbayError('shutting_down', 'the way out to model providers is closed');
      for (const connections of opened) connections.killAll(reason);
    },
  };
}

/** Without the members that are `undefined`, which would otherwise hide a default. */
function definedOf(options: TransportOptions): Partial<CallLimits> {
  return Object.fromEntries(Object.entries(options).filter(([, value]) => value !== undefined));
}

function originOf(baseUrl: string): URL {
  const { protocol, origin } = URL.parse(baseUrl) ?? {};
  if (!origin || (protocol !== 'http:' && protocol !== 'https:')) {
    throw new PatchbayError('config_invalid', 'baseUrl of a provider must be an http or https URL');
  }
  return new URL(origin);
}
