import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { definePlugin } from '@patchbay/contracts/define-plugin';
import { afterAll, describe, expect, it, onTestFinished } from 'vitest';
import { configFolder } from './fixtures/config-folder.ts';
import { hostVersion } from './plugin-manifest.ts';
import { installedPackages, resolvePlugin } from './resolve-plugin.ts';

const folder = configFolder();
const empty = configFolder();
afterAll(() => {
  folder[Symbol.dispose]();
  empty[Symbol.dispose]();
});

const resolve = (use: unknown, options = {}) =>
  resolvePlugin(use, { directory: folder.path, bases: [], timeoutMs: 5_000, ...options });

const nameOf = async (use: unknown, options = {}) => {
  const plugin = await resolve(use, options);
  return 'definition' in plugin ? plugin.definition.name : plugin;
};

describe('resolvePlugin', () => {
  it.each([
    'plugin-good',
    '@scope/plugin-good',
    'plugin-import-only',
    'plugin-cjs',
    'plugin-cjs-transpiled',
    'plugin-top-level-await',
    'plugin-no-exports',
  ])('accepts %s', async (name) => {
    expect(await nameOf(name)).toBe(name);
  });

  it('relative paths, absolute paths and file URLs are resolved', async () => {
    const file = folder.write('plugins/own.js', "export { default } from 'plugin-good';");
    expect(await nameOf('./plugins/own.js')).toBe('plugin-good');
    expect(await nameOf(file)).toBe('plugin-good');
    expect(await nameOf(pathToFileURL(file).href)).toBe('plugin-good');
    folder.write('plugins/own plugin.js', "export { default } from 'plugin-good';");
    expect(await nameOf('./plugins/own plugin.js')).toBe('plugin-good');
  });

  it('TypeScript that imports the core is resolved', async () => {
    folder.write(
      'own.ts',
      `import { definePlugin, type Cache } from '@patchbay/core/plugin';
       const cache: Cache = { get: async () => undefined, set: async () => {}, delete: async () => {} };
       export default definePlugin({
         name: 'own', kind: 'cache', version: 1, config: { properties: {} }, create: () => cache,
       });`,
    );
    expect(await nameOf('./own.ts')).toBe('own');
  });

  it('a plugin object is returned as it is', async () => {
    const plugin = definePlugin({
      name: 'imported',
      kind: 'telemetry',
      version: 1,
      config: { properties: {} },
      create: () => ({ span: (_name, _attributes, work) => work({ set() {} }), count() {}, record() {} }),
    });
    expect(await resolve(plugin)).toBe(plugin);
  });

  it('further bases are searched for packages, not for paths', async () => {
    folder.write('beside.js', "export { default } from 'plugin-good';");
    const alone = join(empty.path, 'alone');
    mkdirSync(alone);
    const without = { directory: '/', bases: [] };
    expect(await resolve('plugin-good', without)).toMatchObject({ code: 'plugin_not_found' });
    expect(await nameOf('plugin-good', { directory: '/', bases: [folder.path] })).toBe('plugin-good');
    const module = pathToFileURL(join(folder.path, 'main.js')).href;
    expect(await nameOf('plugin-good', { directory: '/', bases: [module] })).toBe('plugin-good');
    expect(await resolve('./beside.js', { directory: alone, bases: [folder.path] })).toEqual({
      code: 'plugin_not_found',
      message: './beside.js does not exist',
    });
  });

  it('a path without its "./" is recognized by its file', async () => {
    folder.write('plugins/mine.js', "export { default } from 'plugin-good';");
    expect(await resolve('plugins/mine.js')).toEqual({
      code: 'plugin_not_found',
      message: 'plugins/mine.js is not installed; did you mean the file "./plugins/mine.js"?',
    });
  });

  it.each([
    ['plugin-nowhere', 'plugin_not_found', 'plugin-nowhere is not installed: run "npm install plugin-nowhere"'],
    ['@other/nowhere/sub', 'plugin_not_found', '@other/nowhere/sub is not installed: run "npm install @other/nowhere"'],
    ['@scope/xxxx', 'plugin_not_found', '@scope/xxxx is not installed: run "npm install @scope/xxxx"'],
    ['plugin-god', 'plugin_not_found', 'plugin-god is not installed; did you mean "plugin-good"?'],
    [
      '@scoop/plugin-good',
      'plugin_not_found',
      '@scoop/plugin-good is not installed; did you mean "@scope/plugin-good"?',
    ],
    ['./nowhere.js', 'plugin_not_found', './nowhere.js does not exist'],
    ['./node_modules', 'plugin_not_found', './node_modules is a folder: name the file in it'],
    ['node:fs', 'plugin_not_found', '"node:fs" is neither a package name nor a path: paths begin with "./"'],
    [
      'https://x.test/y',
      'plugin_not_found',
      '"https://x.test/y" is neither a package name nor a path: paths begin with "./"',
    ],
    ['plugin-throws', 'plugin_not_found', 'plugin-throws cannot be imported: no licence key'],
    [
      'plugin-for-newer-host',
      'plugin_incompatible',
      `plugin-for-newer-host was made for @patchbay/core ^99.0.0, and this is ${hostVersion()}`,
    ],
    [
      'plugin-for-newer-contract',
      'plugin_incompatible',
      'plugin-for-newer-contract implements cache@2; this host supports cache@1: update Patchbay',
    ],
    [
      'plugin-for-strange-kind',
      'plugin_incompatible',
      'plugin-for-strange-kind is a plugin of a kind that this host does not know: "cahce"; did you mean "cache"?',
    ],
    [
      'plugin-no-default',
      'plugin_incompatible',
      'plugin-no-default has no default export: export what definePlugin returns',
    ],
    [
      'plugin-named-export',
      'plugin_incompatible',
      'plugin-named-export exports its plugin as "plugin": make it the default export',
    ],
    [
      'plugin-function',
      'plugin_incompatible',
      'plugin-function is not a Patchbay plugin: its default export is not what definePlugin returns',
    ],
    [
      'plugin-unknown-kind',
      'plugin_incompatible',
      'plugin-unknown-kind is a plugin of a kind that this host does not know: "cahce"; did you mean "cache"?',
    ],
  ])('refuses %s', async (use, code, message) => {
    expect(await resolve(use)).toEqual({ code, message });
  });

  it('a missing dependency of a plugin is reported differently from a plugin that is not installed', async () => {
    const { code, message } = (await resolve('plugin-missing-dependency')) as { code: string; message: string };
    expect(code).toBe('plugin_not_found');
    expect(message).toMatch(/^plugin-missing-dependency cannot be imported: .*a-package-that-is-not-there/);
  });

  it.each(['plugin-broken-syntax', 'plugin-no-entry', 'plugin-good/sub'])(
    'names %s, which cannot be imported',
    async (use) => {
      const { code, message } = (await resolve(use)) as { code: string; message: string };
      expect(code).toBe('plugin_not_found');
      expect(message.startsWith(`${use} cannot be imported: `)).toBe(true);
    },
  );

  it('an import that hangs is abandoned', async () => {
    expect(await resolve('plugin-hangs', { timeoutMs: 20 })).toEqual({
      code: 'plugin_not_found',
      message: 'plugin-hangs cannot be imported: no answer within 20 ms',
    });
  });

  it.each([[3], [{}], [{ default: 1 }]])('refuses %j', async (use) => {
    expect(await resolve(use)).toMatchObject({ code: 'plugin_incompatible' });
  });

  it.each([
    [{ name: 3 }, 'the plugin has no name in its definition'],
    [{ name: 'x', kind: 'cache', version: '1' }, 'the plugin has no integer version in its definition'],
    [{ name: 'x', kind: 'cache', version: 1 }, 'the plugin has no config.properties in its definition'],
    [
      { name: 'x', kind: 'cache', version: 1, config: { properties: {} } },
      'the plugin has no create function in its definition',
    ],
    [
      {
        name: 'x',
        kind: 'cache',
        version: 1,
        config: { properties: {} },
        create: () => ({}),
        deps: { clock: undefined },
      },
      'the plugin has a dependency "clock" that is none of services: is its name misspelled?',
    ],
  ])('refuses the definition %j', async (definition, message) => {
    expect(await resolve({ $$type: 'patchbay.plugin', definition })).toEqual({ code: 'plugin_incompatible', message });
  });
});

it('a package that several folders have is loaded from the nearest', () => {
  const folder = mkdtempSync(join(tmpdir(), 'patchbay-installed-'));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  const inner = join(folder, 'app');
  for (const each of [folder, inner])
    mkdirSync(join(each, 'node_modules', '@acme', 'patchbay-provider'), { recursive: true });
  const packages = installedPackages([inner, folder]);
  expect(packages.get('@acme/patchbay-provider')).toBe(join(inner, 'node_modules', '@acme', 'patchbay-provider'));
});
