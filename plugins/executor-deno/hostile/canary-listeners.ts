import { createSocket } from 'node:dgram';
import { once } from 'node:events';
import { type AddressInfo, createServer, type Server } from 'node:net';

/** Sockets of the host that no program may reach. */
export interface CanaryListeners {
  readonly port: number;
  readonly datagramPort: number;
  /** Name of a unix socket that is no file. */
  readonly abstract: string;
  /** Visits so far. */
  check(): readonly string[];
  close(): Promise<void>;
}

/** Listen on TCP and UDP of the loopback, on a unix socket in a file, and on one that has only a name. */
export async function openListeners(socketPath: string): Promise<CanaryListeners> {
  const visits: string[] = [];
  const abstract = `patchbay-canary-${process.pid}-${Math.random()}`;
  const serve = (name: string): Server =>
    createServer((socket) => {
      visits.push(`somebody connected to ${name}`);
      socket.on('error', () => {}).destroy();
    });
  const [tcp, unix, named] = [serve('TCP'), serve('the unix socket'), serve('the abstract socket')] as const;
  const servers = [tcp, unix, named];
  const datagrams = createSocket('udp4', () => visits.push('somebody sent a datagram'));
  tcp.listen(0);
  unix.listen(socketPath);
  named.listen(`\0${abstract}`);
  datagrams.bind(0);
  await Promise.all([...servers, datagrams].map((server) => once(server, 'listening')));
  return {
    port: (tcp.address() as AddressInfo).port,
    datagramPort: datagrams.address().port,
    abstract,
    check: () => visits.splice(0),
    async close() {
      datagrams.close();
      await Promise.all(servers.map((server) => new Promise((resolve) => server.close(resolve))));
    },
  };
}
