import { rmSync, writeFileSync } from 'node:fs';
import { join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { newFolder, runServer, type ServerProcess } from '../driver/run-server.ts';

// Signals that arrive before the server has started.

const patience = { timeout: 60_000 };
let folder: string;
let server: ServerProcess | undefined;

const pluginAt = (path: string) => relative(folder, fileURLToPath(new URL(path, import.meta.url)));
const messages = () =>
  (server?.output.stdout ?? '')
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => String((JSON.parse(line) as { message: unknown }).message));

function run(config: string): ServerProcess {
  writeFileSync(join(folder, 'patchbay.config.yaml'), `patchbay: 1\n${config}`);
  server = runServer(folder, {}, []);
  return server;
}
const hanging = () => `providers: { hanging: { use: "${pluginAt('../reload/faults/hanging-provider.ts')}" } }\n`;
const migrating = () =>
  `storage: { use: "${pluginAt('./fixtures/slow-storage.ts')}", with: { until: "${join(folder, 'go')}" } }\n`;

/** `migrating` has begun: what comes after the storage has not. */
async function whileMigrating(config = ''): Promise<ServerProcess> {
  const started = run(migrating() + config);
  await expect.poll(messages, patience).toContain('migrating');
  return started;
}

beforeEach(() => {
  folder = newFolder();
});
afterEach(async () => {
  server?.child.kill('SIGKILL');
  await server?.ended();
  server = undefined;
  rmSync(folder, { recursive: true, force: true });
});

it('SIGTERM lets a migration end, starts nothing more, and ends with 0', async () => {
  const started = await whileMigrating(hanging());
  started.child.kill('SIGTERM');
  await expect.poll(messages, patience).toContain('stopping');
  expect(messages()).not.toContain('migrated');
  writeFileSync(join(folder, 'go'), '');
  expect(await started.ended()).toBe(0);
  expect(messages().slice(-4)).toEqual(['stopping', 'migrated', 'the storage has stopped', 'stopped']);
});

it('SIGTERM gives up a plugin that takes long to start, stops the others, and ends with 0', async () => {
  writeFileSync(join(folder, 'go'), '');
  const started = await whileMigrating(`startTimeoutMs: 3600000\n${hanging()}`);
  await expect.poll(messages, patience).toContain('migrated');
  started.child.kill('SIGTERM');
  expect(await started.ended()).toBe(0);
  expect(messages().slice(-3)).toEqual(['stopping', 'the storage has stopped', 'stopped']);
});

it('the second SIGTERM ends at once, whatever has begun', async () => {
  const started = await whileMigrating();
  // Signals that follow each other closely count as one, so it takes a few.
  const again = setInterval(() => started.child.kill('SIGTERM'), 100);
  expect(await started.ended()).toBe(1);
  clearInterval(again);
  expect(messages().at(-1)).toBe('stopping immediately');
});

it('SIGHUP is kept until there is something to reload', async () => {
  const started = await whileMigrating();
  started.child.kill('SIGHUP');
  writeFileSync(join(folder, 'patchbay.config.yaml'), `patchbay: 1\n${migrating()}gateway: { timeoutMs: 1000 }\n`);
  writeFileSync(join(folder, 'go'), '');
  await started.listening();
  await expect.poll(messages, patience).toContain('reloaded the config');
  started.child.kill('SIGTERM');
  expect(await started.ended()).toBe(0);
});
