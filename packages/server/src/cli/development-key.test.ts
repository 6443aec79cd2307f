import { chmodSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { announceServer, findDevelopmentServer, openDevelopmentKey } from './development-key.ts';

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'patchbay-'));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));
const url = 'http://127.0.0.1:4810';

it('the key is created once, readable by its owner only, and ignored by git', async () => {
  const { key, file } = await openDevelopmentKey(folder);
  expect(key).toMatch(/^development_[\w-]{43}$/);
  expect(statSync(file).mode & 0o777).toBe(0o600);
  expect(statSync(join(folder, '.patchbay')).mode & 0o777).toBe(0o700);
  expect(readFileSync(join(folder, '.patchbay/.gitignore'), 'utf8')).toBe('*\n');
  expect((await openDevelopmentKey(folder)).key).toBe(key);
});

it('the key is replaced if others could read it, or if it is malformed', async () => {
  const { key, file } = await openDevelopmentKey(folder);
  chmodSync(file, 0o644);
  const second = await openDevelopmentKey(folder);
  expect(second.key).not.toBe(key);
  expect(statSync(file).mode & 0o777).toBe(0o600);
  writeFileSync(file, 'x');
  expect((await openDevelopmentKey(folder)).key).toMatch(/^development_/);
});

it('the key is found with its server, while that runs', async () => {
  expect(findDevelopmentServer(folder)).toBeUndefined();
  const { key } = await openDevelopmentKey(folder);
  const retract = await announceServer(folder, { url, pid: process.pid, hasKey: true });
  expect(findDevelopmentServer(folder)).toEqual({ url, key });
  await retract();
  expect(findDevelopmentServer(folder)).toBeUndefined();
  await announceServer(folder, { url, pid: process.pid, hasKey: false });
  expect(findDevelopmentServer(folder)).toEqual({ url, key: undefined });
});

it.each(['https://example.com', 'http://127.0.0.1.example.com', 'http://127.0.0.1@example.com', 'nonsense'])(
  'the key is not found for %s',
  async (elsewhere) => {
    await openDevelopmentKey(folder);
    await announceServer(folder, { url: elsewhere, pid: process.pid, hasKey: true });
    expect(findDevelopmentServer(folder)).toBeUndefined();
  },
);

it('the key is not found for a server that was killed', async () => {
  await openDevelopmentKey(folder);
  // No process has this id: it is beyond what a system assigns.
  await announceServer(folder, { url, pid: 2 ** 30, hasKey: true });
  expect(findDevelopmentServer(folder)).toBeUndefined();
});
