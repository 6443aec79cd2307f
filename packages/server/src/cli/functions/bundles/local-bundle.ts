import { join, relative } from 'node:path';
import type { Schema } from '@patchbay/core/plugin';
import { type CliFailure, exitCodes } from '../../cli-failure.ts';
import { codeFileOf, type LocalFunction } from '../local-function.ts';
import { findLockfile } from './lockfile.ts';

/** The code of a folder cannot be bundled with what it imports. */
export class BundleError extends Error {
  override readonly name = 'BundleError';
  /** Each as `file:line:column fault`. */
  readonly faults: readonly string[];

  constructor(faults: readonly string[]) {
    super(faults.join('\n'));
    this.faults = faults;
  }

  get failure(): CliFailure {
    const { message: text, faults } = this;
    return { text, error: { code: 'code_invalid', detail: faults[0], faults }, exitCode: exitCodes.failure };
  }
}

/**
 * The function with a bundle of the packages that its code imports, if some are installed here. What is not
 * is left to the server, which may have it.
 *
 * @throws BundleError
 */
export async function withBundle(local: LocalFunction, cwd: string): Promise<LocalFunction> {
  const { folder, body } = local;
  const { code = '' } = body;
  // Most code imports nothing, and then needs no compiler.
  if (!/\bimport\b/.test(code)) return local;
  const { bundleFunction } = await import('@patchbay/executor-deno/bundle-function');
  const [input, output] = [body.input as Schema, body.output as Schema];
  const bundled = await bundleFunction({ code, input, output, folder });
  const file = codeFileOf(folder);
  const shown = relative(cwd, join(folder, file));
  switch (bundled.kind) {
    case 'plain':
    case 'not_installed':
      return local;
    case 'faults':
      throw new BundleError(
        bundled.faults.map(({ detail, line = 1, column = 1 }) => `${shown}:${line}:${column} ${detail}`),
      );
    case 'bundle': {
      const { module, mappings } = bundled;
      const sourceMap = { version: 3 as const, sources: [file], names: [], mappings };
      const lockfile = await findLockfile(folder);
      const packages = bundled.packages.map(({ name, version, hash, bytes }) => {
        const integrity = inLockfile(() => lockfile?.integrityOf(name, version)) ?? `files:sha512-${hash}`;
        return { name, version, integrity, bytes };
      });
      return { ...local, body: { ...body, bundle: { module, sourceMap, packages } } };
    }
  }
}

function inLockfile(find: () => string | undefined): string | undefined {
  try {
    return find();
  } catch (error) {
    throw new BundleError([error instanceof Error ? error.message : String(error)]);
  }
}
