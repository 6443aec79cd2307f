import { describe, expect, it } from 'vitest';
import { unfitFiles } from './unfit-files.ts';

const published = (...files: readonly (readonly [string, string])[]) => unfitFiles(new Map(files));

describe('the files of a package', () => {
  it('modules of a package import each other', () => {
    expect(published(['dist/index.js', "export { a } from './a.js';"], ['dist/a.js', ''])).toEqual([]);
  });

  it.each(['src/a/fixtures/b.ts', 'dist/test-support/c.d.ts', 'src/a.test.ts'])('exclude %s', (path) => {
    expect(published([path, ''])).toEqual([`${path} is for tests, and would be published`]);
  });

  it('import nothing that was left out', () => {
    expect(published(['src/index.ts', "const a = await import('./fixtures/a.ts');"])).toEqual([
      'src/index.ts imports src/fixtures/a.ts, which would not be published',
    ]);
  });

  it('import the kit only where they belong to it, and what an example in a comment says does not count', () => {
    const file = ['dist/door.js', "import { startUpstream } from '@patchbay/testing';"] as const;
    expect(published(file)).toEqual(['dist/door.js imports @patchbay/testing, which is for tests']);
    expect(unfitFiles(new Map([file]), { isTestKit: true })).toEqual([]);
    expect(published(['src/a.ts', " * import { it } from 'vitest';\n"])).toEqual([]);
  });
});
