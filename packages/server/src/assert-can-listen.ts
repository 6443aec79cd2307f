import { once } from 'node:events';
import { createServer } from 'node:net';

/**
 * Fail as listening there would. To be asked before an app is made: a second server that is started by mistake must
 * not migrate the storage of the first, make a key in it, or close what the first is running.
 *
 * @throws Error `EADDRINUSE`, `EACCES` and the like.
 */
export async function assertCanListen(port: number, host: string): Promise<void> {
  const probe = createServer().listen(port, host);
  await once(probe, 'listening');
  const closed = once(probe, 'close');
  probe.close();
  await closed;
}
