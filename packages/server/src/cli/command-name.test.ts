import { chmodSync, mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterAll, expect, it } from 'vitest';
import { commandName } from './command-name.ts';

const root = mkdtempSync(join(tmpdir(), 'patchbay-command-'));
afterAll(() => rmSync(root, { recursive: true }));
const write = (file: string, text = ''): string => {
  const path = join(root, file);
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, text);
  chmodSync(path, 0o755);
  return path;
};
const script = write('clone/packages/server/dist/main.js');
const source = write('clone/packages/server/src/main.ts');
const bin = dirname(write('clone/node_modules/.bin/patchbay', 'exec node ../../packages/server/dist/main.js "$@"'));
write('clone/node_modules/.bin/node');
const oldNode = dirname(write('node-20/node'));
const execPath = write('node 24/node');
const loose = write('loose/a b/main.js');
for (const folder of ['clone/mine', 'elsewhere']) mkdirSync(join(root, folder));
const nameIn = (folder: string, env: NodeJS.ProcessEnv = {}, called = script, execArgv: string[] = []) =>
  commandName(env, join(root, folder), called, { execPath, execArgv });

it('the command is its plain name if the terminal finds it', () => {
  expect(nameIn('elsewhere', { PATH: `/nowhere:${bin}` })).toBe('patchbay');
});

it('the command is npx if that finds it', () => {
  expect(nameIn('clone')).toBe('npx patchbay');
  expect(nameIn('clone/mine', { npm_lifecycle_event: 'npx', PATH: bin })).toBe('npx patchbay');
  expect(nameIn('elsewhere', { npm_lifecycle_event: 'npx' }, '/home/me/.npm/_npx/1/main.js')).toBe('npx patchbay');
});

it('the command is its link in the clone, which brings its own Node, if it was called from another folder', () => {
  const link = '../clone/node_modules/.bin/patchbay';
  expect(nameIn('elsewhere', { PATH: oldNode })).toBe(link);
  expect(nameIn('elsewhere', { npm_lifecycle_event: 'npx', PATH: bin })).toBe(link);
});

it('the command is the running Node and the file if no link leads there', () => {
  const node = `'${execPath}'`;
  expect(nameIn('elsewhere', { PATH: oldNode }, source, ['--conditions=source', '--no-warnings'])).toBe(
    `${node} --conditions=source ../clone/packages/server/src/main.ts`,
  );
  expect(nameIn('elsewhere', { PATH: oldNode }, loose)).toBe(`${node} '../loose/a b/main.js'`);
  expect(nameIn('elsewhere', { PATH: dirname(execPath) }, loose)).toBe("node '../loose/a b/main.js'");
});

it('the command is the link that it was called through, unless the terminal would run it on another Node', () => {
  mkdirSync(join(root, 'project/bin'), { recursive: true });
  const link = join(root, 'project/bin/patchbay');
  symlinkSync(script, link);
  expect(nameIn('elsewhere', { PATH: dirname(execPath) }, link)).toBe('../project/bin/patchbay');
  expect(nameIn('elsewhere', { PATH: oldNode }, link)).toBe(`'${execPath}' ../project/bin/patchbay`);
});
