import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterEach, beforeEach, expect, it } from 'vitest';

// In a separate process: the hooks and module cache of Node belong to a process.

const source = fileURLToPath(new URL('./fresh-modules.ts', import.meta.url));
let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'patchbay-'));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

const write = (name: string, text: string) => {
  mkdirSync(join(folder, name, '..'), { recursive: true });
  writeFileSync(join(folder, name), text);
};

/** Runs a script that may `load` the entry and `change` files. Returns its result. */
function run(script: string): unknown {
  const program = `
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { createFreshModules } from ${JSON.stringify(source)};
const folder = ${JSON.stringify(folder)};
const modules = createFreshModules();
modules.follow([join(folder, 'entry.ts')]);
const load = () => import(join(folder, 'entry.ts'));
const change = (name, text) => {
  writeFileSync(join(folder, name), text);
  modules.invalidate([join(folder, name)]);
};
const names = () => modules.files().map((file) => file.slice(folder.length + 1)).sort();
console.log(JSON.stringify(await (async () => { ${script} })()));`;
  const args = ['--conditions=source', '--no-warnings', '--input-type=module', '-e', program];
  return JSON.parse(execFileSync(process.execPath, args, { encoding: 'utf8', cwd: folder }));
}

it('changed modules and their importers are reloaded, and no others', () => {
  write('entry.ts', "export { deep } from './a.ts'; export { same } from './same.ts';");
  write('a.ts', "export { deep } from './lib/deep.ts';");
  write('lib/deep.ts', 'export const deep: number = 1;');
  write('same.ts', 'export const same: object = {};');
  const script = `
    const first = await load();
    const again = await load();
    change('lib/deep.ts', 'export const deep: number = 2;');
    const second = await load();
    return [first.deep, second.deep, first === again, first.same === second.same, names()];`;
  const files = ['a.ts', 'entry.ts', 'lib/deep.ts', 'same.ts'];
  expect(run(script)).toEqual([1, 2, true, true, files]);
});

it('modules loaded by require are reloaded, too', () => {
  write('entry.ts', "import value from './value.cjs'; export default value;");
  write('value.cjs', "module.exports = require('./inner.cjs');");
  write('inner.cjs', 'module.exports = 1;');
  const script = `
    const first = (await load()).default;
    change('inner.cjs', 'module.exports = 2;');
    return [first, (await load()).default];`;
  expect(run(script)).toEqual([1, 2]);
});

it('broken and missing modules are retried', () => {
  write('entry.ts', "export { value } from './value.ts';");
  const script = `
    const failure = () => load().then(() => 'none', ({ code, message }) => code ?? message);
    const missing = await failure();
    const known = names();
    change('value.ts', 'export const value: number = ;');
    const broken = await failure();
    change('value.ts', "export const value = 2; throw new Error('not yet');");
    const thrown = await failure();
    change('value.ts', 'export const value: number = 3;');
    return [missing, known, broken, thrown, (await load()).value];`;
  expect(run(script)).toEqual([
    'ERR_MODULE_NOT_FOUND',
    ['entry.ts', 'value.ts'],
    'ERR_INVALID_TYPESCRIPT_SYNTAX',
    'not yet',
    3,
  ]);
});

it('packages are not reloaded, and cyclic imports are followed', () => {
  write('node_modules/acme/package.json', '{"name":"acme","type":"module","exports":"./index.js"}');
  write('node_modules/acme/index.js', 'export const acme = {};');
  write('entry.ts', "import './b.ts'; export { acme } from 'acme'; export const entry = 1;");
  write('b.ts', "import { entry } from './entry.ts'; export const b = () => entry;");
  const script = `
    const first = await load();
    change('b.ts', "import { entry } from './entry.ts'; export const b = () => entry + 1;");
    const second = await load();
    return [first === second, first.acme === second.acme, names()];`;
  expect(run(script)).toEqual([false, true, ['b.ts', 'entry.ts']]);
});
