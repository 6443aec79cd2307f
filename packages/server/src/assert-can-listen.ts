import { once } from 'node:events';
import { createServer } from 'node:net';

/** What decides where a process listens, for who reads that it cannot. */
export interface ListenSettings {
  readonly host: string;
  readonly port: string;
  /** What to do where the port is taken. Default: set the port to another one. */
  readonly whenTaken?: string;
}

/**
 * Fail as listening there would. To be asked before an app is made: a second server that is started by mistake must
 * not migrate the storage of the first, make a key in it, or close what the first is running.
 *
 * @throws Error `EADDRINUSE`, `EACCES` and the like, with the settings.
 */
export async function assertCanListen(port: number, host: string, settings?: ListenSettings): Promise<void> {
  const probe = createServer().listen(port, host);
  await once(probe, 'listening').catch((error: unknown) => {
    throw Object.assign(error as Error, { settings });
  });
  const closed = once(probe, 'close');
  probe.close();
  await closed;
}
