import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';

/** A proxy that leads nowhere, and remembers which hosts it was asked for. */
export interface DeadEnd {
  readonly url: string;
  hosts(): readonly string[];
  close(): Promise<void>;
}

export async function openDeadEnd(): Promise<DeadEnd> {
  const hosts = new Set<string>();
  const server = createServer((request, response) => {
    hosts.add(request.headers.host ?? String(request.url));
    response.writeHead(403).end();
  });
  server.on('connect', (request, socket) => {
    hosts.add(String(request.url));
    socket.end('HTTP/1.1 403 Forbidden\r\n\r\n');
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    hosts: () => [...hosts],
    async close() {
      const closed = once(server, 'close');
      server.close();
      server.closeAllConnections();
      await closed;
    },
  };
}
