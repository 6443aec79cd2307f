import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { inspectPlugin, installedPlugins, moduleOfFolder } from './inspect-plugin.ts';

let folder: string;
const write = (file: string, text: string) => {
  mkdirSync(join(folder, file, '..'), { recursive: true });
  writeFileSync(join(folder, file), text);
};
const manifest = (more: object) =>
  JSON.stringify({ name: 'patchbay-secrets-acme', type: 'module', patchbay: { kind: 'secrets', version: 1 }, ...more });

beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'patchbay-folder-'));
  const exports = { '.': { types: './dist/index.d.ts', default: './dist/index.js' } };
  write('source/package.json', manifest({ exports }));
  write('source/src/index.ts', 'export default 1;');
  write('built/package.json', manifest({ exports }));
  write('built/src/index.ts', 'export default 1;');
  write('built/dist/index.js', 'export default 1;');
  write('main/package.json', manifest({ main: 'lib.js' }));
  write('main/lib.js', 'export default 1;');
});
afterAll(() => rmSync(folder, { recursive: true }));

describe('the folder of a plugin', () => {
  it.each([
    ['./source', 'source/src/index.ts'],
    ['./built/', 'built/dist/index.js'],
    ['./main', 'main/lib.js'],
  ])('%s resolves to its module', (use, file) => {
    expect(moduleOfFolder(use, folder)).toBe(join(folder, file));
  });

  it('the folder of a plugin can be the working directory', () => {
    expect(moduleOfFolder('.', join(folder, 'source'))).toBe(join(folder, 'source/src/index.ts'));
    expect(moduleOfFolder('..', join(folder, 'source/src'))).toBe(join(folder, 'source/src/index.ts'));
  });

  it.each(['patchbay-secrets-acme', './source/src/index.ts', './missing'])(
    '%s is not the folder of a plugin',
    (use) => {
      expect(moduleOfFolder(use, folder)).toBe(use);
    },
  );

  it('a folder is inspected through the exports of its module', async () => {
    const options = { directory: join(folder, 'built'), bases: [], timeoutMs: 5_000 };
    await expect(inspectPlugin('.', options)).rejects.toMatchObject({ code: 'plugin_incompatible' });
    await expect(inspectPlugin('..', options)).rejects.toMatchObject({ code: 'plugin_not_found' });
  });
});

it('a plugin that resolves from both the folder and the bases is listed once', () => {
  const name = 'patchbay-secrets-listed';
  write(`node_modules/${name}/package.json`, manifest({ name, version: '1.0.0' }));
  write(`app/node_modules/${name}/package.json`, manifest({ name, version: '2.0.0' }));
  const bases = ['host.js', 'host/host.js'].map((file) => pathToFileURL(join(folder, file)).href);
  const listed = installedPlugins({ directory: join(folder, 'app'), bases }).filter((plugin) => plugin.name === name);
  expect(listed.map(({ version }) => version)).toEqual(['2.0.0']);
});
