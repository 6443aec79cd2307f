import path from 'node:path';
import { build, type Message, type OnResolveResult, type Plugin } from 'esbuild';
import { type Fault, MAX_FAULTS } from '../translate/fault.ts';
import type { InstalledPackage } from '../translate/packages.ts';
import { nodesOf, parseAs } from '../translate/parse-source.ts';
import { packageNameOf } from '../translate/refused-syntax.ts';
import { builtModule } from './built-module.ts';
import { moduleOptions, OWN } from './module-options.ts';
import { placeOf } from './place-of.ts';

export interface BundleQuestion {
  /** A module that was checked before: it imports only packages. */
  readonly text: string;
  readonly language: 'js' | 'ts';
  readonly insertedLine: number | undefined;
  readonly packages: readonly InstalledPackage[];
}

export type BundleAnswer =
  | {
      readonly kind: 'bundle';
      readonly module: string;
      readonly mappings: string;
      /** Which of the sources in the mappings is the author's text. */
      readonly ownSource: number;
    }
  | { readonly kind: 'faults'; readonly faults: readonly Fault[] };

const PLUGIN = 'only-packages';
// The last comment of this kind counts: one of the author's could name a file of the machine, which would be opened.
const NO_MAP = `\n//# sourceMappingURL=data:application/json,${JSON.stringify({ version: 3, sources: [], mappings: '' })}`;

/** Makes one module of an author's text and what it uses of packages. */
export async function bundle(question: BundleQuestion): Promise<BundleAnswer> {
  try {
    return await bundleModule(question);
  } catch {
    return refused({ code: 'too_complex', detail: 'The code cannot be brought together with its imports' });
  }
}

async function bundleModule(question: BundleQuestion): Promise<BundleAnswer> {
  const { text, language, packages } = question;
  const built = await build({
    ...moduleOptions,
    stdin: { contents: text + NO_MAP, loader: language, sourcefile: OWN },
    define: { 'process.env.NODE_ENV': '"production"' },
    plugins: [onlyPackages(packages)],
  }).catch((error: { readonly errors?: readonly Message[] }) => {
    if (error.errors === undefined) throw error;
    return { faults: error.errors.slice(0, MAX_FAULTS).map((one) => faultOf(one, question)) };
  });
  if ('faults' in built) return refused(...built.faults);
  const { module, mappings, ownSource } = builtModule(built);
  const late = lateImport(module);
  if (late !== undefined) return refused(late);
  return { kind: 'bundle', module, mappings, ownSource };
}

const refused = (...faults: readonly Fault[]): BundleAnswer => ({ kind: 'faults', faults });

/**
 * The author's text may reach only the folders of the packages, and only by `import`; packages may import what they
 * like. `require` and `new URL` would read files of the machine into the bundle.
 */
function onlyPackages(packages: readonly InstalledPackage[]): Plugin {
  return {
    name: PLUGIN,
    setup(building) {
      building.onResolve(
        { filter: /.*/ },
        async ({ path: specifier, importer, kind, pluginData }): Promise<OnResolveResult> => {
          // The author's text is the only module that is not a file.
          if (pluginData === checked || path.isAbsolute(importer)) return {};
          const own = packages.find(({ name }) => name === packageNameOf(specifier));
          if (own === undefined || kind !== 'import-statement') return refusal(`"${specifier}" cannot be imported`);
          const { folder, name } = own;
          const found = await building.resolve(specifier, { kind, resolveDir: folder, pluginData: checked });
          if (found.errors.length > 0) return refusal(`The package "${name}" has no "${specifier}"`);
          if (!isWithin(found.path, folder)) return refusal(`"${specifier}" is not a part of the package "${name}"`);
          return { path: found.path, sideEffects: found.sideEffects };
        },
      );
    },
  };
}

const refusal = (text: string): OnResolveResult => ({ errors: [{ text }] });

/** The fault of a bundle that would still load something when it runs, unseen by the parser of the author's text. */
function lateImport(module: string): Fault | undefined {
  const parsed = parseAs('js', module);
  if ('errors' in parsed)
    return { code: 'bundle', detail: 'A package cannot be used: it has code that cannot be parsed' };
  for (const node of nodesOf(parsed.program)) {
    if (node.type === 'ImportExpression' || node.type === 'ImportDeclaration') {
      return { code: 'bundle', detail: 'A package cannot be used: it imports modules at run time' };
    }
  }
  return undefined;
}

/** Marks a request to resolve that was already handled. */
const checked = Symbol('checked');

/** Shortens paths to the names of packages; if a path of the machine remains, the text is replaced. */
function withoutPaths(text: string): string {
  const named = text.replaceAll(/"[^"]*[\\/]node_modules[\\/]/g, '"').slice(0, 1000);
  return /\.\.[\\/]|"(?:[\\/]|[a-z]:)/i.test(named) ? 'an import of it cannot be resolved' : named;
}

function isWithin(file: string, folder: string): boolean {
  return file.startsWith(folder + path.sep);
}

function faultOf({ text, location, pluginName }: Message, { insertedLine }: BundleQuestion): Fault {
  // Our own messages contain what the author wrote.
  const detail = pluginName === PLUGIN ? text : withoutPaths(text);
  // Errors inside a package are reported without paths of the machine, and without a position that the author cannot see.
  if (location === null || location.file !== OWN)
    return { code: 'bundle', detail: `A package cannot be used: ${detail}` };
  return { code: 'import_not_allowed', detail, ...placeOf(location, insertedLine) };
}
