import { request } from 'node:http';
import type { Socket } from 'node:net';
import { providerError } from '../contracts/provider-error.ts';
import { proxyAuthorization } from '../egress/proxy-rules.ts';

const MAX_HEADER_BYTES = 16 * 1024;

/** Asks the proxy at the other end of a socket to connect it to an origin; `opened` is called once. */
export function openTunnel(
  socket: Socket,
  { origin, proxy }: { readonly origin: URL; readonly proxy: URL },
  opened: (...result: [null, Socket] | [Error, null]) => void,
): void {
  const authority = `${origin.hostname}:${origin.port || 443}`;
  const authorization = proxyAuthorization(proxy);
  request({
    method: 'CONNECT',
    path: authority,
    headers: {
      host: authority,
      connection: 'keep-alive',
      ...(authorization === undefined ? {} : { 'proxy-authorization': authorization }),
    },
    createConnection: () => socket,
    maxHeaderSize: MAX_HEADER_BYTES,
  })
    .once('connect', ({ statusCode = 0 }, tunnel: Socket, first: Buffer) => {
      if (statusCode >= 200 && statusCode < 300) {
        if (first.length > 0) tunnel.unshift(first);
        opened(null, tunnel);
        return;
      }
      tunnel.destroy();
      opened(providerError('unreachable', `the forward proxy refused to connect, with status ${statusCode}`), null);
    })
    .on('error', (cause) => opened(providerError('unreachable', 'the forward proxy cannot be used', { cause }), null))
    .end();
}
