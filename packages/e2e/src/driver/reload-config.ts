import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { ServerProcess } from './server-process.ts';

/** Replace the config file of a server, and wait until it has reloaded it. */
export async function reloadConfig(server: ServerProcess, text: string): Promise<void> {
  const message = 'reloaded the config';
  const before = server.log.filter((entry) => entry.message === message).length;
  await writeFile(join(server.data, 'patchbay.config.yaml'), text);
  server.process.kill('SIGHUP');
  await server.logged(message, before + 1);
}
