import type { RequestContext } from '@patchbay/contracts/context';
import { PatchbayError } from '@patchbay/contracts/errors';
import type { Lifecycle } from '@patchbay/contracts/lifecycle';
import { providerError } from '@patchbay/contracts/provider-error';
import type { Telemetry } from '@patchbay/contracts/telemetry';
import type { Transport, TransportOptions } from '@patchbay/contracts/transport';
import { createAddressFilter } from '../egress/address-filter.ts';
import type { ProxyFor } from '../egress/proxy-rules.ts';
import { createNameResolver, type Resolve, resolveBySystem } from '../egress/resolve-names.ts';
import { definedMembers } from '../provider-kit/json-fields.ts';
import { Call, type CallLimits, type OutgoingRequest, type Target } from './call.ts';
import { type ClientClass, Connections } from './connections.ts';
import { loadClient } from './load-client.ts';

/** Number of cached targets, so that URLs are not parsed again for every request: one per model is enough. */
const KNOWN_TARGETS = 100;

const defaults: CallLimits = {
  connectMs: 5_000,
  firstByteMs: 600_000,
  idleMs: 300_000,
  totalMs: 600_000,
  maxBodyBytes: 16 * 1024 * 1024,
};

export interface TransportHost {
  /** Finds the telemetry, whose trace is sent with each request; asked until it returns one. Default: none. */
  readonly telemetry?: () => Pick<Telemetry, 'outgoing'> | undefined;
  /** How names are resolved. Default: as the system does, without its threads. */
  readonly resolve?: Resolve;
  /** The forward proxy for an origin, with its credentials; undefined for one that is reached directly. Default: none. */
  readonly proxyFor?: ProxyFor;
}

/**
 * The transport of a host. One is enough for any number of providers: each `createFetch` has its own connections.
 *
 * Bodies are sent as strings or bytes. Responses are never compressed: compression is not requested, and a compressed response
 * is `bad_response`, as is one with more than 16 KiB or 128 headers. `stop` closes all connections.
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
export function createTransport({
  telemetry: findTelemetry,
  resolve,
  proxyFor,
}: TransportHost = {}): Transport & Required<Pick<Lifecycle, 'stop'>> {
  const opened = new Set<Connections>();
  let clientClass: ClientClass | undefined;
  let stopped = false;
  let telemetry: Pick<Telemetry, 'outgoing'> | undefined;
  // The addresses of providers are the operator's choice, so the system may be asked for names that only it knows.
  const names = createNameResolver({ fallback: resolveBySystem });

  const open = (origin: URL, addresses: TransportOptions['addresses']): Connections => {
    clientClass ??= loadClient();
    const connections = new Connections(clientClass, {
      origin,
      resolve: resolve ?? names.resolve,
      proxy: proxyFor?.(origin),
      isAllowed: addresses && createAddressFilter(addresses),
    });
    opened.add(connections);
    return connections;
  };

  return {
    createFetch(options: TransportOptions): typeof fetch {
      const limits = { ...defaults, ...definedMembers(options) };
      const origin = originOf(options.baseUrl);
      const targets = new Map<string, Target>();
      let connections: Connections | undefined;

      const find = (url: string): Target => {
        const known = targets.get(url);
        if (known) return known;
        const target = targetOf(url);
        if (target.origin !== origin.origin) {
          throw providerError('unreachable', 'a provider may only send requests to its base URL');
        }
        if (targets.size >= KNOWN_TARGETS) targets.clear();
        targets.set(url, target);
        return target;
      };

      return async (input, init = {}) => {
        const heldRequest = typeof input === 'object' && 'url' in input ? input : undefined;
        const target = find(typeof input === 'string' ? input : 'url' in input ? input.url : input.href);
        const effective = heldRequest ? await initOfRequest(heldRequest, init) : init;
        const request = outgoingRequest(target, effective, heldRequest);
        telemetry ??= findTelemetry?.();
        request.headers.push(...traceHeaders(telemetry?.outgoing?.('models')));
        connections ??= open(origin, options.addresses);
        request.signal?.throwIfAborted();
        if (stopped) throw new PatchbayError('shutting_down', 'the transport to model providers is closed');
        return await new Call(request, limits, connections).send();
      };
    },

    async stop() {
      stopped = true;
      const reason = new PatchbayError('shutting_down', 'the transport to model providers is closed');
      for (const connections of opened) connections.killAll(reason);
      names.close();
    },
  };
}

/** As W3C Trace Context has them. */
function traceHeaders(trace: RequestContext['trace']): string[] {
  if (trace === undefined) return [];
  const { traceparent, tracestate } = trace;
  return ['traceparent', traceparent, ...(tracestate === undefined ? [] : ['tracestate', tracestate])];
}

function originOf(baseUrl: string): URL {
  const { protocol, origin } = URL.parse(baseUrl) ?? {};
  if (!origin || (protocol !== 'http:' && protocol !== 'https:')) {
    throw new PatchbayError('config_invalid', 'baseUrl of a provider must be an http or https URL');
  }
  return new URL(origin);
}

/** Headers that belong to the connection, as in the platform's `fetch`, and those that would compress a body. */
const ownHeaders: ReadonlySet<string> = new Set([
  'accept-encoding',
  'connection',
  'content-length',
  'expect',
  'host',
  'keep-alive',
  'te',
  'trailer',
  'transfer-encoding',
  'upgrade',
]);

/** @throws TypeError if the URL is invalid. */
function targetOf(url: string): Target {
  const { href, origin, pathname, search } = new URL(url);
  return { href, origin, path: pathname + search };
}

/** @throws TypeError if the body is neither a string nor bytes. */
function outgoingRequest(target: Target, init: RequestInit, heldRequest: Request | undefined): OutgoingRequest {
  const headers = headerList(init.headers ?? {});
  const body = bodyOf(init.body ?? null);
  if (typeof body === 'string' && !hasHeader(headers, 'content-type')) {
    headers.push('content-type', 'text/plain;charset=UTF-8');
  }
  const method = (init.method ?? 'GET').toUpperCase();
  return { target, method, headers, body, signal: init.signal ?? undefined, heldRequest };
}

/** The members of a `Request`, overridden by those of `init`. */
async function initOfRequest(request: Request, init: RequestInit): Promise<RequestInit> {
  const body = init.body ?? (request.body ? await request.arrayBuffer() : null);
  const { method, headers, signal } = request;
  return {
    ...init,
    method: init.method ?? method,
    headers: init.headers ?? headers,
    signal: init.signal ?? signal,
    body,
  };
}

function headerList(headers: NonNullable<RequestInit['headers']>): string[] {
  // Compression is not requested: it saves little on responses of this size, and bodies can expand to any size.
  const list = ['accept-encoding', 'identity'];
  const add = (name: string, value: string): void => {
    if (!ownHeaders.has(name.toLowerCase())) list.push(name, value);
  };
  if (Symbol.iterator in headers) for (const [name, value] of headers as Iterable<[string, string]>) add(name, value);
  else for (const name of Object.keys(headers)) add(name, headers[name] as string);
  return list;
}

function hasHeader(list: readonly string[], name: string): boolean {
  return list.some((each, index) => index % 2 === 0 && each.toLowerCase() === name);
}

function bodyOf(body: unknown): OutgoingRequest['body'] {
  if (body === null || typeof body === 'string') return body;
  if (ArrayBuffer.isView(body)) return new Uint8Array(body.buffer, body.byteOffset, body.byteLength);
  if (body instanceof ArrayBuffer) return new Uint8Array(body);
  throw new TypeError('a body sent to a model provider is a string or bytes');
}
