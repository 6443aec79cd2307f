/**
 * Brings a function of a project together with the npm packages that it imports.
 *
 * @module
 */
import type { Schema } from '@patchbay/core/plugin';
import { checkGivenBundle } from '../bundle/given-bundle.ts';
import { ownMappings } from '../bundle/own-mappings.ts';
import type { Fault } from '../translate/fault.ts';
import { translate } from '../translate/translate.ts';
import type { Translation } from '../translate/translation.ts';
import { checkProjectTypes } from './check-project-types.ts';
import { groupByPackage, type PackageFiles } from './group-by-package.ts';
import { runEsbuild } from './run-esbuild.ts';

export interface ProjectFunction {
  readonly code: string;
  readonly input: Schema;
  readonly output: Schema;
  /** Absolute path of the folder that packages are resolved from, as Node resolves them. */
  readonly folder: string;
}

/** Code and what it imports from packages, as one module. */
export interface ProjectBundle {
  readonly kind: 'bundle';
  readonly module: string;
  /** Base64 VLQ. The code is the only source. */
  readonly mappings: string;
  /** The largest first. */
  readonly packages: readonly PackageFiles[];
}

/** A fault of the code, or of what it imports. Line and column count from 1. */
export interface ProjectFault {
  readonly code: string;
  readonly detail: string;
  readonly line?: number;
  readonly column?: number;
}

export type BundledFunction =
  | ProjectBundle
  /** The code imports nothing, or does not parse, which the server reports. */
  | { readonly kind: 'plain' }
  /** None of the packages that the code imports is installed here. */
  | { readonly kind: 'not_installed'; readonly packages: readonly string[] }
  | { readonly kind: 'faults'; readonly faults: readonly ProjectFault[] };

const MAX_BYTES = 5_242_880;
const DEADLINE_MS = 10_000;
const LISTED_PACKAGES = 5;

/**
 * Bundle a function with the packages that it imports, without their unused parts, and check its types against those
 * of the packages and its schemas. Runs no code of packages, and installs nothing.
 *
 * @example
 * ```ts
 * import { bundleFunction } from '@patchbay/executor-deno/bundle-function';
 *
 * const bundled = await bundleFunction({
 *   code: "import { nanoid } from 'nanoid';\nexport default () => ({ id: nanoid() });",
 *   input: { type: 'object' },
 *   output: { type: 'object', properties: { id: { type: 'string' } } },
 *   folder: process.cwd(),
 * });
 * if (bundled.kind === 'bundle') console.log(bundled.packages.map(({ name }) => name)); // ['nanoid']
 * ```
 */
export async function bundleFunction(source: ProjectFunction): Promise<BundledFunction> {
  const { code, folder } = source;
  if (!hasImports(code)) return { kind: 'plain' };
  const translation = translate({ code, packages: 'any' });
  if (translation.kind === 'faults') return translation;
  const built = await runEsbuild({ ...textOf(translation), folder }, AbortSignal.timeout(DEADLINE_MS));
  if ('missing' in built) return { kind: 'not_installed', packages: built.missing };
  if ('faults' in built) return { kind: 'faults', faults: built.faults };
  const packages = await groupByPackage(built.inputs);
  const mappings =
    ownMappings(built.mappings, { source: built.ownSource, insertedLine: translation.insertedLine }) ?? '';
  const { module } = built;
  const bytes = Buffer.byteLength(module) + Buffer.byteLength(mappings);
  if (built.isLate || bytes > MAX_BYTES) {
    const what = built.isLate
      ? 'Bringing the code together with its imports takes more than 10 s'
      : `With its imports, the function has ${bytes} bytes, of ${MAX_BYTES} at most`;
    const detail = `${what}. The largest packages: ${listOf(packages)}`;
    return { kind: 'faults', faults: [{ code: 'too_large', detail }] };
  }
  const checked = checkGivenBundle({ module, mappings, source: 0 });
  const faults = checked.kind === 'faults' ? checked.faults.map(inBundle) : checkProjectTypes(source, translation);
  return faults.length > 0 ? { kind: 'faults', faults } : { kind: 'bundle', module, mappings, packages };
}

/** Whether anything is imported, types included. */
function hasImports(code: string): boolean {
  if (!/\bimport\b/.test(code)) return false;
  const strict = translate({ code, packages: [] });
  return strict.kind === 'faults' && strict.faults.some((fault) => fault.code === 'import_not_allowed');
}

/** With its types: one map leads all the way back. */
const textOf = ({ language, module, typed, insertedLine }: Translation) => ({
  text: typed?.text ?? module,
  language,
  insertedLine,
});

/** Omits the position in the module, which no file shows. */
const inBundle = ({ code, detail }: Fault): ProjectFault => ({ code, detail: `A package cannot be used: ${detail}` });

function listOf(packages: readonly PackageFiles[]): string {
  return packages
    .slice(0, LISTED_PACKAGES)
    .map(({ name, bytes }) => `${name} (${bytes} bytes)`)
    .join(', ');
}
