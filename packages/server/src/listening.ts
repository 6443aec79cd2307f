import { once } from 'node:events';
import { writeFileSync } from 'node:fs';
import { type AddressInfo, createServer, type Server } from 'node:net';
import type { Logger } from '@patchbay/core/plugin';

/** Names of the settings for the address of a process, for error messages. */
export interface ListenSettings {
  readonly host: string;
  readonly port: string;
  /** Advice for a port in use. Default: set the port to another one. */
  readonly whenTaken?: string;
}

/**
 * Fail as listening there would. Call it before creating an app: a second server that is started by mistake must
 * not migrate the storage of the first, create a key in it, or close what the first is running.
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

/** Where a server listens, such as `http://127.0.0.1:4810`. */
export function urlOf(server: Server): string {
  const { address, family, port } = server.address() as AddressInfo;
  return `http://${family === 'IPv6' ? `[${address}]` : address}:${port}`;
}

/**
 * Write the URL of this process's health check into the file that `PATCHBAY_HEALTH_FILE` names: a container's check
 * cannot know whether it runs a server or a worker, nor its configured port and path.
 */
export function writeHealthFile(env: NodeJS.ProcessEnv, readiness: string, logger: Logger): void {
  const file = env['PATCHBAY_HEALTH_FILE'];
  if (!file) return;
  try {
    writeFileSync(file, readiness);
  } catch (error) {
    logger.warn('the file in PATCHBAY_HEALTH_FILE cannot be written', { error });
  }
}
