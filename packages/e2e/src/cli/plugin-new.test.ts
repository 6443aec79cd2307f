import { rmSync } from 'node:fs';
import { runCli } from '@patchbay/server/fixtures/run-cli';
import { afterAll, describe, expect, it } from 'vitest';
import { newFolder } from '../driver/run-server.ts';

const folder = newFolder();
afterAll(() => rmSync(folder, { recursive: true, force: true }));

describe('patchbay plugin new', () => {
  it('writes the files to standard output, and tells what to type next beside it', async () => {
    const { code, stdout, stderr } = await runCli({ cwd: folder }, 'plugin', 'new', 'router', 'told');
    expect(code).toBe(0);
    expect(stdout.trim().split('\n')).toContain(`${folder}/patchbay-router-told/src/index.ts`);
    // This test runs in a clone, where the packages come from no registry.
    expect(stderr).toMatch(/^wrote patchbay-router-told; next:\n {2}\(cd \S+ && npm run tarballs\)\n/);
    expect(stderr).toMatch(
      /\n {2}npm install --no-save \S+\/tarballs\/patchbay-\{contracts,outbound,core,testing\}-\*\.tgz\n {2}npm test\n$/,
    );
  });

  it('tells the same as JSON', async () => {
    const { stdout } = await runCli({ cwd: folder }, 'plugin', 'new', 'router', 'as-json', '--json');
    expect(JSON.parse(stdout)).toMatchObject({
      name: 'patchbay-router-as-json',
      next: expect.arrayContaining(['cd patchbay-router-as-json', 'npm test']) as string[],
    });
  });
});
