import { readdirSync, readFileSync } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { build, type Plugin } from 'esbuild';

const root = fileURLToPath(new URL('../..', import.meta.url));
const main = join(root, 'packages/server/src/main.ts');

/**
 * Write the command `patchbay`, and every plugin of this repository, as a few dozen files instead of a thousand. Linking that many
 * modules takes half the CPU of a start.
 *
 * @param programModule The module of `buildProgramBundle`.
 * @returns The file that Node runs, with `--conditions=source`; and the one that it imports before a program that starts servers from
 * their sources or within its process, which are then those of the bundle.
 */
export async function buildServerBundle(
  folder: string,
  programModule: string,
): Promise<{ readonly main: string; readonly redirect: string }> {
  const entries = new Map([main, ...exportedSources()].map((source, index) => [source, `entry-${index}`]));
  await bundleFiles(entries, folder);
  const urlOf = (path: string): string => pathToFileURL(path).href;
  const bundled = [...entries].map(([source, name]) => [urlOf(source), urlOf(join(folder, `${name}.mjs`))]);
  const files = { main: join(folder, 'main.mjs'), redirect: join(folder, 'redirect.mjs') };
  await writeFile(files.redirect, redirectTo(Object.fromEntries(bundled), programModule));
  await writeFile(files.main, `import './redirect.mjs';\nawait import(${JSON.stringify(urlOf(main))});\n`);
  return files;
}

/**
 * Write the programs that processes of servers, and tests, start beside them: threads and helpers start again with each server, executor
 * and storage, most of them without Node's cache of compiled modules.
 *
 * @returns The module that a process imports to start them from there.
 */
export async function buildProgramBundle(folder: string): Promise<string> {
  const entries = new Map(programs.map((program) => [join(root, program), program.replace(/\.ts$/, '')]));
  await bundleFiles(entries, folder);
  const files = [...entries].map(([source, name]) => [source, join(folder, `${name}.mjs`)]);
  await writeFile(join(folder, 'programs.json'), JSON.stringify(Object.fromEntries(files)));
  const redirect = join(folder, 'redirect-programs.mjs');
  const source = fileURLToPath(new URL('./redirect-programs.ts', import.meta.url));
  await build({ entryPoints: [source], outfile: redirect, format: 'esm', target: 'node22', logLevel: 'error' });
  return pathToFileURL(redirect).href;
}

/** Threads and processes that sources and tests start by their own places. */
const programs = [
  'packages/contracts/src/schema/schema-thread.ts',
  'packages/core/src/webhooks/sending/sender-thread-main.ts',
  'plugins/executor-deno/src/fixtures/hostile-child.ts',
  'plugins/executor-deno/src/launch/main.ts',
  'plugins/executor-deno/src/save/helper-main.ts',
  'plugins/store-sqlite/src/writer-thread-main.ts',
];

async function bundleFiles(entries: ReadonlyMap<string, string>, folder: string): Promise<void> {
  await build({
    entryPoints: [...entries].map(([source, name]) => ({ in: source, out: name })),
    outdir: folder,
    outExtension: { '.js': '.mjs' },
    bundle: true,
    splitting: true,
    format: 'esm',
    platform: 'node',
    target: 'node22',
    conditions: ['source'],
    // Packages in CommonJS require modules of Node.
    banner: {
      js: `import { createRequire as requireOf } from 'node:module'; const require = requireOf(import.meta.url);`,
    },
    logLevel: 'error',
    plugins: [sourcesStayInPlace],
  });
}

/** The modules that packages and plugins export: a config mounts plugins by name, and these import the core by name. */
function exportedSources(): string[] {
  return ['packages', 'plugins'].flatMap((parent) =>
    readdirSync(join(root, parent)).flatMap((name) => {
      const folder = join(root, parent, name);
      const manifest = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8')) as {
        readonly private?: boolean;
        readonly exports?: Readonly<Record<string, { readonly source?: string }>>;
      };
      // No server loads the kit of tests.
      if (manifest.private === true || name === 'testing') return [];
      const sources = Object.values(manifest.exports ?? {}).flatMap(({ source }) => source ?? []);
      return sources.filter((source) => !/\*|fixtures/.test(source)).map((source) => join(folder, source));
    }),
  );
}

/** Sources find their templates and programs where they are. */
const sourcesStayInPlace: Plugin = {
  name: 'sources stay in place',
  setup(bundling) {
    bundling.onResolve({ filter: /^[^./]/ }, async ({ path, kind, importer, resolveDir, pluginData }) => {
      if (kind === 'entry-point' || pluginData === asked) return undefined;
      const found = await bundling.resolve(path, { kind, importer, resolveDir, pluginData: asked });
      // A package that is not installed is an optional one.
      if (found.errors.length > 0) return { path, external: true };
      // A bundle would lose the names that Node finds in a package in CommonJS when it is imported later.
      const isImportedLater = kind === 'dynamic-import' && !path.startsWith('@patchbay/');
      const stays = isImportedLater || stayingPackages.has(path);
      return stays ? { path: found.path, external: true } : undefined;
    });
    bundling.onLoad({ filter: /\.ts$/ }, ({ path }) => {
      const place = JSON.stringify(pathToFileURL(path).href);
      const source = readFileSync(path, 'utf8').replaceAll('import.meta.url', place);
      if (!source.includes('import.meta.resolve')) return { contents: source, loader: 'ts' };
      const resolved = `((name) => pathToFileURL(createRequire(${place}).resolve(name)).href)`;
      const imports = `import { createRequire } from 'node:module'; import { pathToFileURL } from 'node:url';`;
      return { contents: `${imports}\n${source.replaceAll('import.meta.resolve', resolved)}`, loader: 'ts' };
    });
  },
};

const asked = Symbol('asked where a package is');

/** They find drivers and programs by where they are. */
const stayingPackages = new Set(['esbuild', 'oxc-parser', 'oxc-transform', 'typeorm', 'typescript-api']);

/**
 * A module that is imported by the place of its source, as plugins are, comes from the bundle, and a package that the bundle imports
 * by a name from a config or a list is looked for where the command is.
 */
function redirectTo(bundled: Readonly<Record<string, string>>, programModule: string): string {
  return `import ${JSON.stringify(programModule)};
import { registerHooks } from 'node:module';
const main = ${JSON.stringify(pathToFileURL(main).href)};
const bundled = ${JSON.stringify(bundled, undefined, 2)};
const folder = new URL('.', import.meta.url).href;
registerHooks({
  resolve(specifier, context, next) {
    const isNamed = specifier.startsWith('@') && context.parentURL?.startsWith(folder);
    const resolved = next(specifier, isNamed ? { ...context, parentURL: main } : context);
    const url = bundled[resolved.url];
    return url === undefined ? resolved : { url, format: 'module', shortCircuit: true };
  },
});
`;
}
