import type { Runner } from './runner.ts';

/**
 * The tests of a suite that its subject fails: of those with the given names, or of all if none are given. For
 * proving that a suite catches what it is meant to catch.
 *
 * @throws Error if the suite has no test with one of the names.
 *
 * @example
 * ```ts
 * import { createMemoryStorage } from '@patchbay/core/storage';
 * import { failingTests, storageConformance } from '@patchbay/testing';
 *
 * const leaky = async () => ({ storage: createMemoryStorage(), dispose: async () => {} });
 * console.log(await failingTests((runner) => storageConformance(runner, { create: leaky })));
 * ```
 */
export async function failingTests(
  declare: (runner: Runner) => void,
  names: readonly string[] = [],
): Promise<readonly string[]> {
  const tests: { name: string; body: () => Promise<void> | void }[] = [];
  declare({
    describe: (_, body) => body(),
    it: (name, body) => void tests.push({ name, body }),
  });
  const missing = names.find((wanted) => !tests.some(({ name }) => name === wanted));
  if (missing !== undefined) throw new Error(`there is no test "${missing}"`);
  const failed: string[] = [];
  for (const { name, body } of tests) {
    if (names.length > 0 && !names.includes(name)) continue;
    try {
      await body();
    } catch {
      failed.push(name);
    }
  }
  return failed;
}
