import { type ErrorDetail, PatchbayError } from '@patchbay/contracts/errors';
import type { BundledPackage, FunctionBundle } from '@patchbay/contracts/executor';

/** A bundle as callers send it, of the documented shape. */
export interface BundleInput {
  readonly module: string;
  readonly sourceMap?: SourceMapInput;
  readonly packages: readonly BundledPackage[];
}

interface SourceMapInput {
  readonly sources: readonly (string | null)[];
  readonly mappings: string;
}

/** Bytes of a module and the mappings of its source map. */
const MAX_BYTES = 5_242_880;
const LISTED_PACKAGES = 5;
const OWN_NAMES = /^(?:code|function)\.[jt]s$/;

/**
 * A bundle as it is stored: only the mappings of its source map are kept. Names and texts of sources reveal where and
 * on what machine it was made, and nothing needs them.
 *
 * @throws PatchbayError `code_invalid`.
 */
export function checkBundle({ module, sourceMap, packages }: BundleInput): FunctionBundle {
  const bytes = Buffer.byteLength(module) + Buffer.byteLength(sourceMap?.mappings ?? '');
  if (bytes > MAX_BYTES) {
    const detail = `The module and its source map have ${bytes} bytes, of ${MAX_BYTES} at most${largest(packages)}`;
    throw refusal({ pointer: '/bundle/module', code: 'too_large', detail });
  }
  const { sources = [], mappings = '' } = sourceMap ?? {};
  return { module, mappings, source: mappings === '' ? 0 : sourceOf(sources), packages };
}

/** The source that is the code: the only one, or the only one of these names outside of packages. */
function sourceOf(sources: readonly (string | null)[]): number {
  if (sources.length === 1) return 0;
  const found = sources.flatMap((name, index) => (isOwn(name ?? '') ? [index] : []));
  const [source] = found;
  if (source !== undefined && found.length === 1) return source;
  const detail = 'One source has to be the code: the only one called code.ts, code.js, function.ts or function.js';
  throw refusal({ pointer: '/bundle/sourceMap/sources', code: 'no_code', detail });
}

function isOwn(name: string): boolean {
  const segments = name.split(/[\\/]/);
  return !segments.includes('node_modules') && OWN_NAMES.test(segments.at(-1) ?? '');
}

function largest(packages: readonly BundledPackage[]): string {
  const measured = packages.flatMap(({ name, bytes }) => (bytes === undefined ? [] : [{ name, bytes }]));
  const listed = measured.toSorted((a, b) => b.bytes - a.bytes).slice(0, LISTED_PACKAGES);
  if (listed.length === 0) return '';
  return `. The largest packages: ${listed.map(({ name, bytes }) => `${name} (${bytes} bytes)`).join(', ')}`;
}

export function refusal(fault: ErrorDetail): PatchbayError {
  return new PatchbayError('code_invalid', fault.detail, { errors: [fault] });
}
