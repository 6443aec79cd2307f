import { isIP } from 'node:net';
import { type AddressFilter, createAddressFilter, plainAddress } from '@patchbay/core/plugin';
import type { IncomingRequest } from '../incoming-request.ts';

/** Tells where a request comes from. */
export type ClientAddress = (request: Pick<IncomingRequest, 'header' | 'remoteAddress'>) => string | undefined;

/** Hops that are looked at; behind so many proxies, the header is not one that a proxy wrote. */
const MAX_HOPS = 32;

/**
 * The address of the client is that of the socket, which nobody can forge, unless the socket is that of a proxy which
 * the operator named: then it is the last one in `X-Forwarded-For` that is not such a proxy. Whatever stands further to
 * the front of that header, the client may have written itself.
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
    // Not written by a proxy that we can rely on: what is known so far has to do.
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
  return address === undefined ? undefined : plainAddress(address);
}
