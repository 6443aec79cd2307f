import { readFile } from 'node:fs/promises';
import { checkPackage, createPackageFromTarballData } from '@arethetypeswrong/core';
import type { Tarball } from './pack-all.ts';

/** A package of ES modules need not be seen by resolvers that know none. */
const ACCEPTED = new Set(['node10', 'node16-cjs']);

/** Whether every entry gives its types to every resolver of ES modules. */
export async function checkTypes(tarballs: readonly Tarball[]): Promise<readonly string[]> {
  const problems: string[] = [];
  for (const { name, file } of tarballs) {
    const analysis = await checkPackage(createPackageFromTarballData(new Uint8Array(await readFile(file))));
    if (analysis.types === false) problems.push(`${name}: has no types`);
    else {
      for (const problem of analysis.problems) {
        if ('resolutionKind' in problem && ACCEPTED.has(problem.resolutionKind)) continue;
        problems.push(`${name}: ${JSON.stringify(problem)}`);
      }
    }
  }
  return problems;
}
