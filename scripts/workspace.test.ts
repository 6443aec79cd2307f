import { readdirSync, readFileSync } from 'node:fs';
import { join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { findCycle, folderImports } from './folder-imports.ts';
import { layers } from './layers.ts';

const root = fileURLToPath(new URL('..', import.meta.url));

interface Manifest {
  readonly name: string;
  readonly private?: boolean;
  readonly patchbay?: { readonly kind: string; readonly version: number };
  readonly scripts?: Readonly<Record<string, string>>;
  readonly dependencies?: Readonly<Record<string, string>>;
  readonly devDependencies?: Readonly<Record<string, string>>;
  readonly peerDependencies?: Readonly<Record<string, string>>;
}

const folders = (parent: string): string[] =>
  readdirSync(join(root, parent), { withFileTypes: true })
    .filter((entry) => entry.isDirectory())
    .map((entry) => `${parent}/${entry.name}`);

const readManifest = (folder: string): Manifest =>
  JSON.parse(readFileSync(join(root, folder, 'package.json'), 'utf8')) as Manifest;

const sources = (folder: string): string[] =>
  readdirSync(join(root, folder, 'src'), { recursive: true, encoding: 'utf8' })
    .filter((file) => /\.m?tsx?$/.test(file) && !/fixtures|\.generated\.ts$/.test(file))
    .map((file) => join(root, folder, 'src', file));

const packages = [...folders('packages'), ...folders('plugins')].map((folder) => ({
  folder,
  manifest: readManifest(folder),
}));

/** Plugins that the reference server ships with. */
const shipped =
  'store-sqlite|store-postgres|executor-deno|auth-api-key|auth-oauth|provider-openai|provider-anthropic|provider-google|provider-demo|router-weighted|router-learned|limiter-postgres|limiter-sqlite|tools-mcp';

/** Our own packages that each package may depend on at run time. A plugin may name the core as its peer only. */
const allowed: Readonly<Record<string, RegExp>> = {
  '@patchbay/contracts': /^$/,
  '@patchbay/outbound': /^@patchbay\/contracts$/,
  '@patchbay/core': /^@patchbay\/(contracts|outbound)$/,
  '@patchbay/client': /^$/,
  '@patchbay/create-plugin': /^$/,
  '@patchbay/compat': /^@patchbay\/core$/,
  '@patchbay/http': /^@patchbay\/(core|compat|mcp)$/,
  '@patchbay/mcp': /^@patchbay\/core$/,
  '@patchbay/import': /^@patchbay\/(core|client)$/,
  '@patchbay/eval': /^@patchbay\/(core|client)$/,
  '@patchbay/console': /^@patchbay\/(core|http)$/,
  '@patchbay/testing': /^@patchbay\/core$/,
  '@patchbay/e2e': /^@patchbay\//,
  '@patchbay/server': new RegExp(`^@patchbay/(core|http|console|mcp|import|eval|client|create-plugin|${shipped})$`),
};

describe.each(packages)('$folder', ({ folder, manifest }) => {
  const isPlugin = folder.startsWith('plugins/');
  const own = (list: Manifest['dependencies'] = {}): string[] =>
    Object.keys(list).filter((name) => name.startsWith('@patchbay/'));

  it('depends only on what the architecture allows', () => {
    const rule = allowed[manifest.name] ?? /^@patchbay\/(store-typeorm|router-weighted)$/;
    expect(own(manifest.dependencies).filter((name) => !rule.test(name))).toEqual([]);
    expect(own(manifest.peerDependencies)).toEqual(isPlugin ? ['@patchbay/core'] : []);
  });

  it('pins every dependency to one version and runs no install script', () => {
    const versions = { ...manifest.dependencies, ...manifest.devDependencies };
    const loose = Object.entries(versions).filter(([, version]) => !/^(workspace:|(npm:\S+@)?\d)/.test(version));
    expect(loose).toEqual([]);
    expect(Object.keys(manifest.scripts ?? {}).filter((name) => /install|prepare/.test(name))).toEqual([]);
  });

  it('imports the core through the entries for plugins only, if it is a plugin', () => {
    if (!isPlugin) return;
    const wrong = sources(folder)
      .filter((file) => !file.endsWith('.test.ts'))
      .filter((file) => /'@patchbay\/core(?!\/(plugin|provider|storage)')/.test(readFileSync(file, 'utf8')))
      .map((file) => relative(root, file));
    expect(wrong).toEqual([]);
  });

  it('folders have no import cycle', () => {
    expect(findCycle(folderImports(join(root, folder, 'src')))).toBeUndefined();
  });

  it('files have at most 400 lines', () => {
    const long = sources(folder)
      .filter((file) => !file.endsWith('.test.ts') && readFileSync(file, 'utf8').split('\n').length > 400)
      .map((file) => relative(root, file));
    expect(long).toEqual([]);
  });
});

describe.each(Object.entries(layers))('packages/%s', (name, ranked) => {
  const rank = new Map(ranked.flatMap((layer, index) => layer.map((folder) => [folder, index] as const)));
  const src = `packages/${name}/src`;
  const imports = folderImports(join(root, src), rank.has('.') ? '.' : undefined);

  it('names every folder in a layer, and only folders that exist', () => {
    const found = folders(src).map((folder) => folder.split('/').at(-1));
    const named = [...rank.keys()].filter((folder) => folder !== '.');
    expect(named.sort((one, two) => (one < two ? -1 : 1))).toEqual(found);
  });

  it('imports from lower layers only', () => {
    const level = (folder: string): number => rank.get(folder) ?? Number.NaN;
    const upward = imports.filter(({ from, to }) => !(level(to) <= level(from))).map(({ text }) => text);
    expect(upward).toEqual([]);
  });
});

describe('the workspace', () => {
  it('has at most 300 files in the core', () => {
    const files = sources('packages/core').filter((file) => !file.endsWith('.test.ts'));
    expect(files.length).toBeLessThanOrEqual(300);
  });

  it('touches the container library in one file', () => {
    const users = packages
      .flatMap(({ folder }) => sources(folder))
      .filter(
        (file) => !file.endsWith('.test.ts') && /from 'tsyringe'|'reflect-metadata'/.test(readFileSync(file, 'utf8')),
      )
      .map((file) => relative(root, file));
    expect(users).toEqual(['packages/core/src/app/container.ts']);
  });

  it('reads without a tenant only where no tenant is known yet', () => {
    const users = packages
      .filter(({ manifest }) => manifest.patchbay?.kind !== 'storage' && !/store-|testing/.test(manifest.name))
      .flatMap(({ folder }) => sources(folder))
      .filter((file) => /\.scanAllTenants\(/.test(readFileSync(file, 'utf8')) && !file.endsWith('.test.ts'))
      .map((file) => relative(root, file));
    expect(users.sort((one, two) => (one < two ? -1 : 1))).toEqual([
      'packages/contracts/src/base/delete-oldest.ts',
      'packages/contracts/src/base/tenants-of.ts',
      'packages/core/src/access/session-service.ts',
      'packages/core/src/app/app-telemetry.ts',
      'packages/core/src/app/open-operator.ts',
      'packages/core/src/functions/executions/recover-executions.ts',
      'packages/core/src/functions/executions/sweep-executions.ts',
      'packages/core/src/functions/schedules/lost-keys.ts',
      'packages/core/src/functions/schedules/schedule-runner.ts',
      'packages/core/src/queue/storage-jobs.ts',
      'packages/core/src/queue/storage-queue.ts',
      'packages/core/src/telemetry/measuring.ts',
      'packages/core/src/webhooks/lane-hold.ts',
      'plugins/auth-api-key/src/api-key-authenticator.ts',
      'plugins/auth-api-key/src/api-key.ts',
      'plugins/queue-pgboss/src/pgboss-queue.ts',
    ]);
  });

  it('puts writes of capabilities into commits only where a queue enqueues', () => {
    const users = packages
      .filter(({ manifest }) => manifest.patchbay?.kind !== 'storage' && !/store-|testing/.test(manifest.name))
      .flatMap(({ folder }) => sources(folder))
      .filter((file) => /\bCapabilityWrite \{|\{ capability\b[^;]*\bcontent\b/.test(readFileSync(file, 'utf8')))
      .filter((file) => !file.endsWith('.test.ts'))
      .map((file) => relative(root, file));
    expect(users).toEqual(['packages/contracts/src/storage.ts', 'plugins/queue-pgboss/src/enqueue.ts']);
  });
});
