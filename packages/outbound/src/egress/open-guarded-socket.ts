import { connect as connectTcp, isIP, type Socket } from 'node:net';
import { type ConnectionOptions, connect as connectTls } from 'node:tls';
import type { AddressFilter } from './address-range.ts';
import { lookupBy, type Resolve } from './resolve-names.ts';

export interface SocketTarget {
  /** As in URLs: IPv6 addresses may be in brackets. */
  readonly hostname: string;
  /** 0 or NaN: the default port of the protocol. */
  readonly port: number;
  readonly secure: boolean;
}

export interface SocketGuard {
  readonly isAllowed: AddressFilter;
  readonly resolve: Resolve;
  /** Timeout in milliseconds for the connection, including name resolution and the TLS handshake. */
  readonly connectMs: number;
  /** Trusted CA certificates, instead of Node's. */
  readonly ca?: ConnectionOptions['ca'];
}

/** `code` is `EGRESS_REFUSED` for an address that the guard does not allow, `EGRESS_TIMEOUT`, or Node's code. */
export type Connected = (...result: [null, Socket] | [NodeJS.ErrnoException, null]) => void;

/**
 * Opens a connection to an address that is checked at that moment: a name is resolved once, and the checked address is
 * the one used, so that DNS rebinding has no effect.
 *
 * @param connected Called once.
 * @returns The socket, which can be destroyed while it is connecting. Undefined for an address that is refused.
 */
export function openGuardedSocket(target: SocketTarget, guard: SocketGuard, connected: Connected): Socket | undefined {
  const { secure } = target;
  const host = target.hostname.replace(/^\[|\]$/g, '');
  const isAddress = isIP(host) !== 0;
  // An address needs no lookup, so the filter in the lookup never sees it.
  if (isAddress && !guard.isAllowed(host)) {
    connected(refused(), null);
    return undefined;
  }
  const options = {
    host,
    port: target.port || (secure ? 443 : 80),
    // One forbidden address makes the whole name suspicious.
    lookup: lookupBy(guard.resolve, (addresses) =>
      addresses.length > 0 && addresses.every(({ address }) => guard.isAllowed(address)) ? undefined : refused(),
    ),
    autoSelectFamily: true,
  };
  const socket = secure
    ? connectTls({
        ...options,
        ALPNProtocols: ['http/1.1'],
        // Even if the environment says otherwise.
        rejectUnauthorized: true,
        ...(isAddress ? {} : { servername: host }),
        ...(guard.ca === undefined ? {} : { ca: guard.ca }),
      })
    : connectTcp(options);

  const timer = setTimeout(() => {
    socket.destroy(Object.assign(new Error('no connection in time'), { code: 'EGRESS_TIMEOUT' }));
  }, guard.connectMs);
  let isSettled = false;
  const settle: Connected = (...result) => {
    if (isSettled) return;
    isSettled = true;
    clearTimeout(timer);
    connected(...result);
  };
  return (
    socket
      .setNoDelay(true)
      // Before everything else, so that a forbidden address does not even get a greeting.
      .prependOnceListener('connect', () => {
        if (!guard.isAllowed(socket.remoteAddress ?? '')) socket.destroy(refused());
        else if (!secure) settle(null, socket);
      })
      .once('secureConnect', () => settle(null, socket))
      .on('error', (error) => settle(error, null))
      .once('close', () => settle(new Error('closed while connecting'), null))
  );
}

function refused(): NodeJS.ErrnoException {
  return Object.assign(new Error('the address of the host is not allowed'), { code: 'EGRESS_REFUSED' });
}
