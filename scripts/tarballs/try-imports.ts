import { join } from 'node:path';
import type { Tarball } from './pack-all.ts';
import { run } from './run.ts';

/** Import every entry of every package, each in a separate process: one must not lean on what another has loaded. */
export async function tryImports(
  node: string,
  project: string,
  tarballs: readonly Tarball[],
): Promise<readonly string[]> {
  const problems: string[] = [];
  for (const { name, entries } of tarballs) {
    for (const entry of entries) {
      const specifier = join(name, entry);
      const code = `const names = Object.keys(await import(${JSON.stringify(specifier)})); console.log(names.length)`;
      try {
        await run(node, ['--input-type=module', '-e', code], project);
      } catch (error) {
        problems.push(`${specifier}: ${String(error)}`);
      }
    }
  }
  return problems;
}
