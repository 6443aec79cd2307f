import { execFile } from 'node:child_process';
import { cp, mkdir, mkdtemp, rm, symlink } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { promisify } from 'node:util';
import { afterAll, beforeAll, expect, it } from 'vitest';

let folder: string;
beforeAll(async () => {
  // Outside the workspace, where only these three packages are found. Links: Node strips no types below node_modules.
  folder = await mkdtemp(join(tmpdir(), 'patchbay-entries-'));
  const scope = join(folder, 'node_modules/@patchbay');
  await mkdir(scope, { recursive: true });
  for (const name of ['core', 'contracts', 'outbound']) {
    const [from, to] = [fileURLToPath(new URL(`../../${name}/`, import.meta.url)), join(folder, name)];
    await cp(join(from, 'src'), join(to, 'src'), { recursive: true });
    await cp(join(from, 'package.json'), join(to, 'package.json'));
    await symlink(to, join(scope, name), 'junction');
  }
});
afterAll(() => rm(folder, { recursive: true, force: true }));

const load = (entry: string) => {
  const url = pathToFileURL(join(folder, 'core/src', entry)).href;
  return promisify(execFile)(process.execPath, ['--conditions=source', '-e', `import(${JSON.stringify(url)})`], {
    timeout: 20_000,
  });
};

it.each(['plugin.ts', 'provider.ts', 'storage.ts'])('%s loads with no third-party package installed', async (entry) => {
  await expect(load(entry)).resolves.toMatchObject({ stderr: '' });
});

it('index.ts, which has dependencies, does not load there', async () => {
  await expect(load('index.ts')).rejects.toThrow('ERR_MODULE_NOT_FOUND');
});
