import type { AddressInfo, Server } from 'node:net';

/** Where a server listens, such as `http://127.0.0.1:4810`. */
export function urlOf(server: Server): string {
  const { address, family, port } = server.address() as AddressInfo;
  return `http://${family === 'IPv6' ? `[${address}]` : address}:${port}`;
}
