import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createApp } from '@patchbay/core';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { createConfigReloader } from './config-reloader.ts';
import { loadServerConfig } from './load-server-config.ts';
import { createLogger } from './logger.ts';
import { startServer } from './server.ts';

const tag = `export default ({ name }) => async (context, next) => {
  context.append('X-Order', name);
  await next();
  context.append('X-Order', name + context.status);
}`;

let folder: string;
const write = (...names: string[]) => {
  const mounts = names.map((name) => `{ use: ./tag.mjs, with: { name: ${name} } }`);
  const text = `patchbay: 1\nserver: { port: 0, middleware: [${mounts.join(', ')}] }\n`;
  writeFileSync(join(folder, 'patchbay.config.yaml'), text);
};
const load = async () => {
  const logger = createLogger(join(folder, 'log'));
  return { logger, loaded: await loadServerConfig({ file: undefined, cwd: folder, env: {}, logger }) };
};

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'patchbay-server-middleware-'));
  writeFileSync(join(folder, 'tag.mjs'), tag);
});
afterEach(() => rmSync(folder, { recursive: true }));

it('middleware from the config runs around every request in its order, and a reload applies another order', async () => {
  write('a', 'b');
  const { logger, loaded } = await load();
  const app = await createApp(loaded.app, { logger });
  const server = await startServer(app, loaded.server, { before: loaded.middleware });
  const orderOf = async (path: string) => (await fetch(server.url + path)).headers.get('x-order');
  try {
    expect(await orderOf('/healthz')).toBe('a, b, b200, a200');
    expect(await orderOf('/functions')).toBe('a, b, b401, a401');

    const apply = ({ server: section, middleware }: typeof loaded) => server.configure(section, middleware);
    const section = 'server' as const;
    const reloader = createConfigReloader({ host: app.host, loaded, cwd: folder, env: {}, logger, section, apply });
    write('c');
    expect(await reloader.reload()).toEqual({ status: 'reloaded', changed: ['server.middleware'], needsRestart: [] });
    expect(await orderOf('/healthz')).toBe('c, c200');
    write();
    await reloader.reload();
    expect(await orderOf('/healthz')).toBeNull();
  } finally {
    await server.close();
  }
});

it('a server without the middleware that its config names does not start', async () => {
  write('a');
  const { logger, loaded } = await load();
  const app = await createApp(loaded.app, { logger });
  try {
    await expect(startServer(app, loaded.server)).rejects.toThrow('server.middleware');
  } finally {
    await app.host.stop(0);
  }
});
