import type { Runner } from './runner.ts';

/**
 * The tests of a suite that its subject does not pass, of those with these names; of all where none is given. For
 * proving that a suite catches what it is there to catch.
 *
 * @throws Error where the suite has no test of a name.
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
