import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { connect, createServer, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** Between a client and a server on a unix socket: breaks the connection at a packet of the client. */
export interface SeveringProxy {
  readonly url: string;
  /** Packets that clients have sent so far. */
  readonly packets: number;
  close(): Promise<void>;
}

/**
 * @param at The packet, from 1, that does not reach the server: both ends find the connection broken instead.
 * @param delivered Let that packet through and withhold its response.
 */
export async function severingProxy(url: string, at: number, delivered = false): Promise<SeveringProxy> {
  const folder = await mkdtemp(join(tmpdir(), 'patchbay-proxy-'));
  const target = join(decodeURIComponent(new URL(url).hostname), '.s.PGSQL.5432');
  const sockets = new Set<Socket>();
  let packets = 0;
  const server = createServer((client) => {
    const upstream = connect(target);
    let silent = false;
    for (const socket of [client, upstream]) {
      sockets.add(socket);
      socket.on('error', () => {});
      socket.on('close', () => {
        sockets.delete(socket);
        client.destroy();
        upstream.destroy();
      });
    }
    upstream.on('data', (data) => {
      if (silent) client.destroy();
      else client.write(data);
    });
    client.on('data', (data) => {
      packets += 1;
      if (packets !== at) {
        upstream.write(data);
      } else if (delivered) {
        silent = true;
        upstream.write(data);
      } else {
        client.destroy();
      }
    });
  });
  server.listen(join(folder, '.s.PGSQL.5432'));
  await once(server, 'listening');
  const proxied = new URL(url);
  proxied.hostname = encodeURIComponent(folder);
  return {
    url: proxied.href,
    get packets() {
      return packets;
    },
    async close() {
      for (const socket of sockets) socket.destroy();
      server.close();
      await rm(folder, { recursive: true, force: true });
    },
  };
}
