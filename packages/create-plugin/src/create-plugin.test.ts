import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdir, mkdtemp, readFile, rename, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { fileURLToPath } from 'node:url';
import { createApp, loadConfig } from '@patchbay/core';
import { nodeVersionFault as ofTheCore } from '@patchbay/core/node-version';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createPlugin, nextSteps, nodeVersionFault } from './create-plugin.ts';
import { mountName, templates } from './package-files.ts';

const root = fileURLToPath(new URL('../../..', import.meta.url));
let folder: string;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'patchbay-create-plugin-'));
  // In place of `npm install`, as these packages are not published.
  await mkdir(join(folder, 'node_modules', '@patchbay'), { recursive: true });
  for (const name of ['core', 'testing']) {
    await symlink(join(root, 'packages', name), join(folder, 'node_modules', '@patchbay', name));
  }
  await symlink(join(root, 'node_modules', '@types'), join(folder, 'node_modules', '@types'));
});

afterAll(async () => {
  await rm(folder, { recursive: true, force: true });
});

async function run(command: string, parameters: readonly string[], cwd: string) {
  // A child of node:test would report to its parent instead of running by itself.
  const { NODE_TEST_CONTEXT: _, ...env } = process.env;
  const child = spawn(command, parameters, { cwd, env, stdio: ['ignore', 'pipe', 'pipe'] });
  const [output, errors, [code]] = await Promise.all([
    text(child.stdout),
    text(child.stderr),
    once(child, 'close') as Promise<[number]>,
  ]);
  return { output: output + errors, code };
}

/** Tests of the suites that take as long as all others. At full size the templates pass them as well. */
const expensive = '/twenty at once|1,000 commits at once|keeps its extremes|meets every row once/';

describe('a new plugin', () => {
  const created = new Map<string, { readonly name: string; readonly directory: string }>();
  let compiled: { readonly output: string; readonly code: number };
  let tested: { readonly output: string; readonly code: number };
  beforeAll(async () => {
    for (const kind of templates) {
      created.set(kind, await createPlugin({ kind, name: 'acme', directory: join(folder, kind) }));
    }
    // All of them at once: most of the time goes into the packages that each imports.
    const compilerOptions = { rootDir: '.', outDir: 'out' };
    const include = templates.map((kind) => `${kind}/src`);
    const config = { extends: './provider/tsconfig.json', compilerOptions, include };
    await writeFile(join(folder, 'tsconfig.json'), JSON.stringify(config));
    const tsc = join(root, 'node_modules', '.bin', 'tsc');
    // Against the declarations that are published, which `npm test` has just written.
    compiled = await run(tsc, [], folder);
    for (const kind of templates) await rename(join(folder, 'out', kind, 'src'), join(folder, kind, 'dist'));
    // In one process: most of the time goes into loading the suites.
    const options = ['--conditions=source', '--test', '--test-isolation=none', '--test-reporter=tap'];
    if (process.env['PATCHBAY_TEST_SIZE'] !== 'full') options.push(`--test-skip-pattern=${expensive}`);
    tested = await run(process.execPath, [...options, ...templates.map((kind) => `${kind}/src/**/*.test.ts`)], folder);
  }, 300_000);

  it('passes its tests at once, whatever its kind', () => {
    expect(tested.output).toMatch(/^# pass [1-9]\d+$/m);
    expect(tested.output).toMatch(/^# fail 0$/m);
    expect(tested.code).toBe(0);
  });

  it('compiles, whatever its kind', async () => {
    expect(compiled).toEqual({ output: '', code: 0 });
    const [first, ...others] = await Promise.all(
      templates.map((kind) => readFile(join(folder, kind, 'tsconfig.json'), 'utf8')),
    );
    for (const other of others) expect(other).toBe(first);
  });

  it.each(templates)('of kind %s has tests, and mounts as its README says', async (kind) => {
    const { name, directory } = created.get(kind) ?? { name: '', directory: '' };
    expect(name).toBe(`patchbay-${kind}-acme`);
    expect(tested.output).toContain(`# Subtest: ${kind}\n`);

    await symlink(directory, join(folder, 'node_modules', name));
    const readme = await readFile(join(directory, 'README.md'), 'utf8');
    const [, file = '', config = ''] = /```yaml\n# (\S+)\n([\s\S]*?)```/.exec(readme) ?? [];
    const source = /use: \.\.\/\S+?(\/src\/index\.ts)/.exec(readme)?.[1];
    for (const use of [name, `../${kind}${source}`]) {
      const site = await mkdtemp(join(folder, 'site-'));
      await writeFile(join(site, file), config.replace(`"${name}"`, JSON.stringify(use)));
      // The name of the file is part of what is tested: without it, there would be no config.
      const loaded = await loadConfig({ cwd: site, env: { ACME_KEY: 'a-key' } });
      const app = await createApp(loaded.app, { directory: loaded.directory });
      const { parts } = await app.host.health();
      await app.host.stop();
      expect(parts[['provider', 'authenticator'].includes(kind) ? `${kind}s.acme` : kind]).toMatchObject({
        status: 'pass',
      });
    }
  });

  it('declares its kind and keyword in package.json', async () => {
    const { directory } = await createPlugin({ kind: 'router', name: '@acme/rules', directory: join(folder, 'named') });
    const manifest = JSON.parse(await readFile(join(directory, 'package.json'), 'utf8')) as object;
    expect(manifest).toMatchObject({
      name: '@acme/rules',
      keywords: ['patchbay-plugin'],
      patchbay: { kind: 'router', version: 1 },
      peerDependencies: { '@patchbay/core': expect.stringMatching(/^\^\d/) as string },
    });
    expect(await readFile(join(directory, 'src', 'index.ts'), 'utf8')).toContain("name: '@acme/rules'");
  });

  it('names its mount in the test', async () => {
    const { directory } = await createPlugin({ kind: 'provider', name: 'acme', directory: join(folder, 'mount') });
    const text = await readFile(join(directory, 'src', 'index.test.ts'), 'utf8');
    expect(text).toContain("mount: 'providers.acme'");
  });

  it.each([
    ['patchbay-provider-acme', 'acme'],
    ['patchbay-acme', 'acme'],
    ['@acme/patchbay-provider-fast', 'fast'],
    ['@acme/a.b_c', 'a-b-c'],
  ])('%s is mounted as %s', (name, mount) => {
    expect(mountName('provider', name)).toBe(mount);
  });

  it('installs packages from the clone that created it, otherwise from the registry', async () => {
    const { next } = await createPlugin({ kind: 'router', name: 'next', directory: join(folder, 'next') });
    expect(next[0]).toBe(`(cd ${root.replace(/\/$/, '')} && npm run tarballs)`);
    expect(nextSteps('patchbay-router-x', undefined)).toEqual(['cd patchbay-router-x', 'npm install', 'npm test']);
    expect(nextSteps('x', "/my clone's")).toEqual([
      "(cd '/my clone'\\''s' && npm run tarballs)",
      'cd x',
      "export PATH='/my clone'\\''s/node_modules/.bin':$PATH",
      "npm install --no-save '/my clone'\\''s/tarballs/patchbay-'{contracts,outbound,core,testing}-*.tgz",
      'npm test',
    ]);
  });

  it('matches the guide, and a provider is one file of at most 56 lines', async () => {
    const guide = await readFile(join(root, 'docs', 'plugins', 'provider.md'), 'utf8');
    const template = async (file: string) =>
      await readFile(new URL(`../templates/provider/${file}`, import.meta.url), 'utf8');
    const source = await template('index.ts');
    expect(guide).toContain(source);
    expect(guide).toContain(await template('conformance.ts'));
    expect(source.trimEnd().split('\n').length).toBeLessThanOrEqual(56);
  });

  it('writes into no folder that has something in it', async () => {
    const directory = join(folder, 'used');
    await mkdir(directory);
    await writeFile(join(directory, 'notes.txt'), 'mine');
    await expect(createPlugin({ kind: 'router', name: 'x', directory })).rejects.toThrow('is not empty');
  });

  it.each([
    ['cache', 'x', 'there is no template for "cache": provider, storage, executor, router, authenticator'],
    ['router', 'Has Spaces', '"Has Spaces" is no name for a package'],
    ['router', '../escape', '"../escape" is no name for a package'],
    ['router', '@acme/../x', '"@acme/../x" is no name for a package'],
  ])('of %s named %s is refused', async (kind, name, message) => {
    await expect(createPlugin({ kind, name, directory: join(folder, 'never') })).rejects.toThrow(message);
  });

  it('is created by the command line', async () => {
    const main = fileURLToPath(new URL('./main.ts', import.meta.url));
    const asked = await run(process.execPath, [main, 'router', 'by-command', join(folder, 'by-command')], folder);
    expect(asked.code).toBe(0);
    expect(asked.output).toContain('Wrote patchbay-router-by-command:');
    expect(await run(process.execPath, [main], folder)).toMatchObject({ code: 2 });
    expect(await run(process.execPath, [main, 'cake', 'x'], folder)).toMatchObject({ code: 1 });
  });
});

it.each(['20.20.2', '22.13.9', '22.14.0', '24.21.0'])('Node %s is judged, and named, as by the core', (version) => {
  expect(nodeVersionFault(version)).toBe(ofTheCore(version));
});
