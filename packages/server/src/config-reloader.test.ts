import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type App, createApp } from '@patchbay/core';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type ConfigReloader, createConfigReloader } from './config-reloader.ts';
import { type LoadedServerConfig, loadServerConfig } from './load-server-config.ts';
import { createLogger, type ServerLogger } from './logger.ts';

let folder: string;
let app: App;
let reloader: ConfigReloader;
let applied: LoadedServerConfig[];
/** The configs passed to the app, by the timeout of its gateway. */
let asked: (number | undefined)[];
let log: string[];

const write = (text: string) => writeFileSync(join(folder, 'patchbay.config.yaml'), `patchbay: 1\n${text}`);

beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), 'patchbay-reloader-'));
  [applied, asked, log] = [[], [], []];
  write('gateway: { timeoutMs: 1 }\n');
  const silent = createLogger(join(folder, 'log'));
  const say = (message: string) => void log.push(message);
  const logger: ServerLogger = { ...silent, debug: say, info: say, warn: say, error: say };
  const loaded = await loadServerConfig({ file: undefined, cwd: folder, env: {}, logger });
  app = await createApp(loaded.app, { logger });
  const told: Pick<App['host'], 'reload'> = {
    async reload(config) {
      const next = typeof config === 'function' ? await config() : config;
      asked.push(next.gateway?.timeoutMs);
      return await app.host.reload(next);
    },
  };
  const apply = (config: LoadedServerConfig) => void applied.push(config);
  reloader = createConfigReloader({ host: told, loaded, cwd: folder, env: {}, logger, section: 'server', apply });
});

afterEach(async () => {
  await app.host.stop();
  rmSync(folder, { recursive: true, force: true });
});

describe('createConfigReloader', () => {
  it('reads once more for all reloads requested during a read, and never an older file after a newer one', async () => {
    write('gateway: { timeoutMs: 2 }\n');
    const first = reloader.reload();
    const others = [reloader.reload(), reloader.reload()];
    await first;
    // The second read has not begun when the first ends.
    write('gateway: { timeoutMs: 3 }\n');
    const [second, third] = await Promise.all(others);
    expect(await first).toMatchObject({ status: 'reloaded', changed: ['gateway.timeoutMs'] });
    expect(second).toBe(third);
    expect(asked).toEqual([2, 3]);
    expect(await reloader.reload()).toEqual({ status: 'reloaded', changed: [], needsRestart: [] });
  });

  it('a reload applies the section of the process, and names what it cannot at every reload', async () => {
    write('server: { port: 1, maxConnections: 7, logLevel: warn }\nworker: { port: 2 }\ngateway: { timeoutMs: 1 }\n');
    const changed = ['server.logLevel', 'server.maxConnections'];
    const outcome = await reloader.reload();
    expect(outcome).toMatchObject({ status: 'reloaded', needsRestart: ['server.port'] });
    expect('changed' in outcome && outcome.changed.toSorted()).toEqual(changed);
    expect(applied.map(({ server }) => server.maxConnections)).toEqual([7]);
    expect(await reloader.reload()).toEqual({ status: 'reloaded', changed: [], needsRestart: ['server.port'] });
  });

  it('refuses an invalid file with the position of its fault, applies nothing, and accepts the next', async () => {
    write('gateway: { timeoutMs: 2 }\nserver: { maxConnections: seven }\n');
    expect(await reloader.reload()).toEqual({
      status: 'refused',
      problems: [expect.stringMatching(/^patchbay\.config\.yaml:3:27 server\.maxConnections must be/)],
    });
    expect([applied, asked]).toEqual([[], []]);
    write('gateway: { timeoutMs: 2 }\n');
    expect(await reloader.reload()).toMatchObject({ status: 'reloaded' });
  });

  it('a reload while the process stops reports that, which is not a failure', async () => {
    await app.host.stop();
    expect(await reloader.reload()).toMatchObject({ status: 'stopping' });
    expect(applied).toEqual([]);
  });
});
