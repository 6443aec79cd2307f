import { stat } from 'node:fs/promises';
import { isBuiltin } from 'node:module';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { context, type Message, type Plugin } from 'esbuild';
import { type BuiltModule, builtModule } from '../bundle/built-module.ts';
import { moduleOptions, OWN } from '../bundle/module-options.ts';
import { placeOf } from '../bundle/place-of.ts';
import { builtInOf, builtIns } from '../translate/built-ins.ts';
import { type Fault, MAX_FAULTS } from '../translate/fault.ts';
import { packageNameOf } from '../translate/refused-syntax.ts';

interface EsbuildQuestion {
  readonly text: string;
  readonly language: 'js' | 'ts';
  readonly insertedLine: number | undefined;
  readonly folder: string;
}

/** A module, or how far bundling got. */
interface BundledModule extends Omit<BuiltModule, 'outputs'> {
  /** Bytes in the module by the path of each file, or the sizes of the files if it took too long. */
  readonly inputs: ReadonlyMap<string, number>;
  readonly isLate: boolean;
}

type EsbuildAnswer = BundledModule | { readonly missing: readonly string[] } | { readonly faults: readonly Fault[] };

const globals = fileURLToPath(new URL('../../environment/node-globals.js', import.meta.url));

/**
 * Bundle a text with what it imports. None of the options come from files of the project.
 *
 * @param signal Aborts when it takes too long.
 */
export async function runEsbuild(question: EsbuildQuestion, signal: AbortSignal): Promise<EsbuildAnswer> {
  const { text, language, folder } = question;
  const files = new Set<string>();
  const missing = new Set<string>();
  const building = await context({
    ...moduleOptions,
    stdin: { contents: text, loader: language, sourcefile: OWN, resolveDir: folder },
    absWorkingDir: folder,
    define: { 'process.env.NODE_ENV': '"production"', global: 'globalThis' },
    inject: [globals],
    plugins: [nodeModules(path.join(folder, OWN), missing), listFiles(files)],
  });
  const cancel = () => void building.cancel();
  signal.addEventListener('abort', cancel);
  try {
    const { outputs, ...built } = builtModule(await building.rebuild());
    return { ...built, inputs: inputsOf(outputs, folder), isLate: false };
  } catch (error) {
    if (signal.aborted) return { module: '', mappings: '', ownSource: 0, inputs: await sizesOf(files), isLate: true };
    const { errors } = error as { readonly errors?: readonly Message[] };
    if (errors === undefined) throw error;
    const isNothingHere = missing.size > 0 && files.size === 0 && errors.length === missing.size;
    if (isNothingHere) return { missing: [...missing] };
    return { faults: errors.slice(0, MAX_FAULTS).map((each) => faultOf(each, question)) };
  } finally {
    signal.removeEventListener('abort', cancel);
    await building.dispose();
  }
}

/** Marks our own requests to resolve. */
const asked = Symbol('asked');
const REQUIRED = 'required-built-in';
const DEFAULT = 'default-of-built-in';

/** Leaves the built-ins that functions have as imports, and has esbuild find everything else. */
function nodeModules(own: string, missing: Set<string>): Plugin {
  return {
    name: 'node-modules',
    setup(building) {
      building.onResolve({ filter: /.*/ }, async ({ path: specifier, importer, kind, resolveDir, pluginData }) => {
        if (pluginData === asked) return undefined;
        if (kind === 'entry-point') return undefined;
        const builtIn = builtInOf(specifier);
        const isOwn = importer === own || importer === OWN;
        const name = packageNameOf(specifier);
        if (builtIn === undefined && !isOwn) return undefined;
        if (builtIn !== undefined && (isOwn || specifier.startsWith('node:'))) return keep(builtIn, kind);
        const found = await building.resolve(specifier, { kind, importer, resolveDir, pluginData: asked });
        // One that its package has turned off for browsers has no path.
        if (found.errors.length === 0) return path.isAbsolute(found.path) ? found : undefined;
        if (builtIn !== undefined) return keep(builtIn, kind);
        if (name !== undefined) missing.add(name);
        return { errors: [{ text: `"${specifier}" is not installed here` }] };
      });
      // Code that requires a built-in gets its default export, which takes a module in between.
      building.onLoad({ filter: /.*/, namespace: REQUIRED }, ({ path: name }) => ({
        contents: `module.exports = require(${JSON.stringify(`${DEFAULT}:${name}`)}).default;`,
      }));
      building.onResolve({ filter: new RegExp(`^${DEFAULT}:`) }, ({ path: name }) => ({
        path: name.slice(DEFAULT.length + 1),
        namespace: DEFAULT,
      }));
      building.onLoad({ filter: /.*/, namespace: DEFAULT }, ({ path: name }) => ({
        contents: `export { default } from ${JSON.stringify(name)};`,
      }));
    },
  };
}

function keep(builtIn: string, kind: string) {
  if (kind === 'require-call') return { path: builtIn, namespace: REQUIRED, sideEffects: false };
  return { path: builtIn, external: true, sideEffects: false };
}

function listFiles(files: Set<string>): Plugin {
  return {
    name: 'list-files',
    setup(building) {
      building.onLoad({ filter: /.*/, namespace: 'file' }, ({ path: file }) => {
        if (file !== globals) files.add(file);
        return undefined;
      });
    },
  };
}

function inputsOf(outputs: BuiltModule['outputs'], folder: string): ReadonlyMap<string, number> {
  const all = outputs.flatMap(({ inputs }) => Object.entries(inputs));
  const files = all.flatMap(([name, { bytesInOutput }]) => {
    const file = path.resolve(folder, name);
    const isFile = name !== OWN && !name.startsWith(`${REQUIRED}:`) && !name.startsWith(`${DEFAULT}:`);
    return isFile && file !== globals && bytesInOutput > 0 ? [[file, bytesInOutput] as const] : [];
  });
  return new Map(files);
}

async function sizesOf(files: ReadonlySet<string>): Promise<ReadonlyMap<string, number>> {
  return new Map(await Promise.all([...files].map(async (file) => [file, (await stat(file)).size] as const)));
}

function faultOf({ text, location }: Message, { insertedLine, folder }: EsbuildQuestion): Fault {
  const specifier = /^Could not resolve "(.*)"$/.exec(text)?.[1];
  const isOwn = location === null || location.file === OWN;
  if (isOwn) {
    const place = location === null ? {} : placeOf(location, insertedLine);
    return { code: 'import_not_allowed', detail: text.replaceAll(folder, '.'), ...place };
  }
  const inPackage = location.file.split('node_modules/').at(-1) ?? location.file;
  const detail =
    specifier !== undefined && isBuiltin(specifier)
      ? `imports "${specifier}" of Node.js. Functions have ${builtIns.join(', ')}`
      : text;
  return { code: 'bundle', detail: `A package cannot be used: ${inPackage}:${location.line}: ${detail}` };
}
