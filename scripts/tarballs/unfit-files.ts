import { posix } from 'node:path';

/** Folders and files that are there for our own tests. */
const FOR_TESTS = /(^|\/)(fixtures|test-support|hostile|crash|power-loss)\/|\.test\.(ts|js|d\.ts)(\.map)?$/;
// A quote before it: code within a string.
const TOOLS =
  /(?<!["`].*)\b(?:from|import\()\s*'(vitest|@patchbay\/(?:testing|canaries|postgres-for-tests))(?:\/[^']*)?'/;
const RELATIVE = /(?<!["`].*)\b(?:from|import\()\s*'(\.{1,2}\/[^']+)'/g;

/**
 * Faults in the files of a package as it would be published: those for tests only, those that import what is for
 * tests, and those that import a file which was left out.
 */
export function unfitFiles(files: ReadonlyMap<string, string>, { isTestKit = false } = {}): readonly string[] {
  const problems: string[] = [];
  for (const [path, text] of files) {
    if (FOR_TESTS.test(path)) problems.push(`${path} is for tests, and would be published`);
    if (!/^(dist|src)\/.*(?<!\.d)\.(ts|js)$/.test(path)) continue;
    const code = text.replace(/^\s*(\/\/|\/?\*).*$/gm, '');
    const tool = TOOLS.exec(code)?.[1];
    if (tool !== undefined && !isTestKit) problems.push(`${path} imports ${tool}, which is for tests`);
    for (const [, target = ''] of code.matchAll(RELATIVE)) {
      const imported = posix.join(posix.dirname(path), target);
      if (!files.has(imported)) problems.push(`${path} imports ${imported}, which would not be published`);
    }
  }
  return problems;
}
