import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, it } from 'vitest';
import { commandName } from './command-name.ts';

const root = mkdtempSync(join(tmpdir(), 'patchbay-command-'));
afterAll(() => rmSync(root, { recursive: true }));
const bin = join(root, 'clone/node_modules/.bin');
for (const folder of [bin, join(root, 'clone/mine'), join(root, 'elsewhere')]) mkdirSync(folder, { recursive: true });
writeFileSync(join(bin, 'patchbay'), '', { mode: 0o755 });
const script = join(root, 'clone/packages/server/dist/main.js');
const nameIn = (folder: string, env: NodeJS.ProcessEnv = {}, called = script) =>
  commandName(env, join(root, folder), called);

it('the command is the word if the terminal finds it', () => {
  expect(nameIn('elsewhere', { PATH: `/nowhere:${bin}` })).toBe('patchbay');
});

it('the command is npx if that finds it', () => {
  expect(nameIn('clone')).toBe('npx patchbay');
  expect(nameIn('clone/mine', { npm_lifecycle_event: 'npx', PATH: bin })).toBe('npx patchbay');
  expect(nameIn('elsewhere', { npm_lifecycle_event: 'npx' }, '/home/me/.npm/_npx/1/main.js')).toBe('npx patchbay');
});

it('the command is the path of the script if nothing else leads to it', () => {
  expect(nameIn('elsewhere')).toBe('node ../clone/packages/server/dist/main.js');
  expect(nameIn('elsewhere', { npm_lifecycle_event: 'npx', PATH: bin })).toBe(
    'node ../clone/packages/server/dist/main.js',
  );
  expect(nameIn('elsewhere', {}, join(bin, 'patchbay'))).toBe('../clone/node_modules/.bin/patchbay');
  expect(nameIn('elsewhere', {}, join(root, 'a b/main.js'))).toBe("node '../a b/main.js'");
});
