import { isIP } from 'node:net';
import { PatchbayError } from '@patchbay/core';
import { type AddressFilter, createAddressFilter, plainAddress, type RequestHead } from '@patchbay/core/plugin';
import type { IncomingRequest } from '../incoming-request.ts';

const MAX_TOKEN_LENGTH = 8_192;
const bearer = /^bearer +(\S.*)$/i;
const visible = /^[\x21-\x7e]+$/;

interface ReadOptions {
  /** Path prefix that the host stripped. */
  readonly mountPath: string;
  readonly remoteAddress: string | undefined;
  /** Reads the session of a request. Absent: sessions are off. */
  readonly sessionOf?: ((request: HeadOfRequest) => string | undefined) | undefined;
}

/**
 * Reads what authenticators see of a request: its head, and the one token in it, if any.
 *
 * @throws PatchbayError `invalid_request` for two different tokens, and for a header that was sent twice;
 *   `invalid_token` for a string that cannot be a token.
 */
export function readCredentials(
  request: HeadOfRequest,
  { mountPath, remoteAddress, sessionOf }: ReadOptions,
): RequestHead {
  const authorization = request.header('authorization');
  const apiKey = request.header('x-api-key');
  if (authorization === undefined && apiKey === undefined) {
    return new PresentedRequest(request, { mountPath, remoteAddress, session: sessionOf?.(request) });
  }
  if (request.headerCount('authorization') > 1 || request.headerCount('x-api-key') > 1) {
    throw new PatchbayError('invalid_request', 'send Authorization and x-api-key once each at most');
  }
  const bearerToken = bearerOf(authorization);
  // Clients of Anthropic send both if both of their variables are set.
  if (authorization !== undefined && apiKey !== undefined && apiKey !== bearerToken) {
    throw new PatchbayError('invalid_request', 'Authorization and x-api-key have different keys: send one of them');
  }
  // A shell expands an unset variable to nothing. "The scheme must be Bearer" would not help.
  if (/^(?:bearer)? *$/i.test(apiKey ?? authorization ?? '')) {
    throw new PatchbayError('invalid_token', 'the token is empty: is its environment variable set?');
  }
  const token = apiKey ?? bearerToken;
  const isTooLong = (token ?? authorization ?? '').length > MAX_TOKEN_LENGTH;
  if (isTooLong || (token !== undefined && !visible.test(token))) {
    throw new PatchbayError(
      'invalid_token',
      'the token has characters, or a length, that no token has: was a placeholder left in it?',
    );
  }
  return new PresentedRequest(request, { mountPath, remoteAddress, token });
}

/** The token by which a request was authenticated. */
export function tokenOf(header: (name: string) => string | undefined): string | undefined {
  return header('x-api-key') ?? bearerOf(header('authorization'));
}

function bearerOf(authorization = ''): string | undefined {
  return bearer.exec(authorization)?.[1]?.trimEnd();
}

const tokenParameter = /(?:^|&)(?:access_token|api_key|apikey|x-api-key)=/i;

/** @throws PatchbayError `invalid_request` for a token in the query, where it would end up in logs and histories. */
export function refuseTokenInQuery(query: string): void {
  if (tokenParameter.test(query)) {
    throw new PatchbayError(
      'invalid_request',
      'credentials are not accepted in the query; use the Authorization header',
    );
  }
}

/** The parts of a request that authenticators may see. */
export type HeadOfRequest = Pick<IncomingRequest, 'method' | 'target' | 'header' | 'headerCount' | 'peerCertificate'>;

interface Found {
  readonly mountPath: string;
  readonly remoteAddress: string | undefined;
  readonly token?: string | undefined;
  readonly session?: string | undefined;
}

/** A head whose members are getters over private fields: logged, spread or serialized, it shows nothing. */
export class PresentedRequest implements RequestHead {
  readonly #request: HeadOfRequest;
  readonly #found: Found;

  constructor(request: HeadOfRequest, found: Found) {
    this.#request = request;
    this.#found = found;
  }

  get method(): string {
    return this.#request.method;
  }

  get target(): string {
    return this.#found.mountPath + this.#request.target;
  }

  get token(): string | undefined {
    return this.#found.token;
  }

  get session(): string | undefined {
    return this.#found.session;
  }

  get remoteAddress(): string | undefined {
    return this.#found.remoteAddress;
  }

  get peerCertificate(): Uint8Array | undefined {
    return this.#request.peerCertificate?.();
  }

  header(name: string): string | undefined {
    return this.#request.header(name);
  }
}

/** Determines where a request comes from. */
type ClientAddress = (request: Pick<IncomingRequest, 'header' | 'remoteAddress'>) => string | undefined;

/** Maximum number of hops: a longer header was not written by proxies. */
const MAX_HOPS = 32;

/**
 * The address of the client is that of the socket, which cannot be forged, unless it is the address of a proxy that
 * the operator named: then it is the last address in `X-Forwarded-For` that is not such a proxy. Whatever comes
 * before that one, the client may have written itself.
 */
export function createClientAddress(trustedProxies: readonly string[] = []): ClientAddress {
  if (trustedProxies.length === 0) return ({ remoteAddress }) => plain(remoteAddress);
  const isTrusted = createAddressFilter(trustedProxies);
  return (request) => {
    const { remoteAddress } = request;
    if (remoteAddress === undefined || !isTrusted(remoteAddress)) return plain(remoteAddress);
    return lastUntrusted(request.header('x-forwarded-for') ?? '', isTrusted) ?? plain(remoteAddress);
  };
}

function lastUntrusted(header: string, isTrusted: AddressFilter): string | undefined {
  let furthest: string | undefined;
  for (const hop of header.split(',').slice(-MAX_HOPS).reverse()) {
    const address = withoutPort(hop.trim());
    // Not written by a trustworthy proxy: what is known so far has to suffice.
    if (address === undefined) return furthest;
    furthest = address;
    if (!isTrusted(address)) return address;
  }
  return furthest;
}

/** `192.0.2.1`, `192.0.2.1:1234`, `2001:db8::1` and `[2001:db8::1]:1234` are all in use. */
function withoutPort(hop: string): string | undefined {
  const [, bracketed, dotted] = /^(?:\[([\da-f:.]+)\](?::\d+)?|([\d.]+):\d+)$/i.exec(hop) ?? [];
  const address = plainAddress(bracketed ?? dotted ?? hop);
  return isIP(address) > 0 ? address : undefined;
}

function plain(address: string | undefined): string | undefined {
  // Most sockets show an IPv4 address as it is.
  return address?.includes(':') ? plainAddress(address) : address;
}

type Head = Pick<IncomingRequest, 'method' | 'header'>;

/**
 * Refuses state-changing requests that a page of another site makes a browser send: the browser adds the
 * cookie by which the host knows the caller. Browsers never add a token on their own, so requests with one need no such check.
 *
 * Browsers report the source of a request in `Sec-Fetch-Site`, older ones in `Origin`; other clients send neither.
 *
 * @throws PatchbayError `cross_site_request`.
 */
export function createOriginCheck(trusted: readonly string[] = []): (request: Head) => void {
  for (const origin of trusted) {
    if (URL.parse(origin)?.origin !== origin) {
      throw new TypeError(`trustedOrigins must contain origins such as https://app.acme.com, not ${origin}`);
    }
  }
  return (request) => {
    if (request.method === 'GET' || request.method === 'HEAD') return;
    const origin = request.header('origin');
    if (origin !== undefined && trusted.includes(origin)) return;
    refuseOtherOrigins(request);
  };
}

/** @throws PatchbayError `cross_site_request` for a request from a page of another origin. */
export function refuseOtherOrigins(request: Pick<Head, 'header'>): void {
  const origin = request.header('origin');
  const site = request.header('sec-fetch-site');
  // The origin of a sandboxed page is `null`, which is not a URL.
  const isOwn =
    site === undefined
      ? origin === undefined || (URL.parse(origin)?.host ?? '') === (request.header('host') ?? 'none')
      : site === 'same-origin' || site === 'none';
  if (isOwn) return;
  throw new PatchbayError('cross_site_request', 'pages of other origins may not send this request');
}

/** Names of this machine, which no other site can have. */
const loopback = /^(?:localhost|127\.\d+\.\d+\.\d+|\[::1\])$/;

/**
 * Refuses requests that a web page makes a browser send, even with a token: a stranger's page whose name resolves to this
 * machine (DNS rebinding) has the host of the request as its origin. Such a page has neither a local name nor a
 * certificate.
 *
 * @param allowed Origins, or `*` for all.
 * @throws PatchbayError `cross_site_request`.
 */
export function createPageCheck(allowed: readonly string[]): (request: Head) => void {
  return (request) => {
    const origin = request.header('origin');
    if (origin === undefined || allowed.includes(origin) || allowed.includes('*')) return;
    const page = URL.parse(origin);
    const host = URL.parse(`http://${request.header('host') ?? ''}`);
    const isLocal = page && host && loopback.test(page.hostname) && loopback.test(host.hostname);
    if (isLocal || (page?.protocol === 'https:' && page.host === request.header('host'))) return;
    throw new PatchbayError('cross_site_request', 'pages of this origin may not send this request');
  };
}
