import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Server, type Socket } from 'node:net';

/** A port that leads to another one, and can be closed and opened again as if a machine went down and came back. */
export interface Door {
  readonly url: string;
  open(): Promise<void>;
  /** Cuts every connection, and refuses new ones. */
  close(): Promise<void>;
}

export async function openDoor(target: string): Promise<Door> {
  const { port: targetPort } = new URL(target);
  const sockets = new Set<Socket>();
  let server: Server | undefined;
  let port = 0;

  const join = (one: Socket, other: Socket): void => {
    sockets.add(one);
    one.pipe(other);
    one.on('error', () => undefined);
    one.on('close', () => {
      sockets.delete(one);
      other.destroy();
    });
  };
  const open = async (): Promise<void> => {
    server = createServer((socket) => {
      const further = connect(Number(targetPort), '127.0.0.1');
      join(socket, further);
      join(further, socket);
    });
    server.listen(port, '127.0.0.1');
    await once(server, 'listening');
    ({ port } = server.address() as AddressInfo);
  };
  await open();

  return {
    url: `http://127.0.0.1:${port}`,
    open,
    async close() {
      if (!server?.listening) return;
      const closed = once(server, 'close');
      server.close();
      for (const socket of sockets) socket.resetAndDestroy();
      await closed;
    },
  };
}
