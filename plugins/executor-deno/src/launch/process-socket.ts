import { chown, mkdtemp, rm } from 'node:fs/promises';
import { createServer, type Socket } from 'node:net';
import path from 'node:path';

/** A private meeting place of the host and one process. */
export interface Slot {
  readonly socketPath: string;
  /**
   * Wait for one connection, which comes paused. Who asks first gets the first one; one that nobody waits for is
   * refused.
   */
  accept(listener: (socket: Socket) => void): void;
  /** Remove what is on disk and refuse whoever has not connected yet. Safe to call twice. */
  close(): Promise<void>;
}

/**
 * Open a socket in a folder of its own that nobody else may enter (mode 0700).
 *
 * @param parent Where that folder is made.
 * @param uid Who shall connect, where it is not the server's own user.
 */
export async function openSlot(parent: string, uid?: number): Promise<Slot> {
  const directory = await mkdtemp(`${parent}${path.sep}`);
  const socketPath = path.join(directory, 's');
  const server = createServer({ pauseOnConnect: true });
  let removal: Promise<void> | undefined;
  const close = (): Promise<void> => {
    removal ??= (async () => {
      server.close();
      await rm(directory, { recursive: true, force: true });
    })();
    return removal;
  };
  try {
    await new Promise<void>((resolve, reject) => {
      server.once('error', reject);
      server.listen(socketPath, resolve);
    });
    if (uid !== undefined) await Promise.all([directory, socketPath].map((place) => chown(place, uid, uid)));
  } catch (error) {
    await close();
    throw error;
  }
  const waiting: ((socket: Socket) => void)[] = [];
  server.on('connection', (socket) => {
    const listener = waiting.shift();
    if (listener === undefined) {
      socket.destroy();
      return;
    }
    // A reset comes with the end of the process, which says more.
    socket.on('error', () => {});
    listener(socket);
  });
  return { socketPath, accept: (listener) => void waiting.push(listener), close };
}
