import type { Runner } from '../runner.ts';

/** The tests of a suite that its subject does not pass, of those with these names; of all where none is given. */
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
