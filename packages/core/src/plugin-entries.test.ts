import { execFile } from 'node:child_process';
import { cp, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { promisify } from 'node:util';
import { afterAll, beforeAll, expect, it } from 'vitest';

let folder: string;
beforeAll(async () => {
  // Outside the workspace, where no package is found.
  folder = await mkdtemp(join(tmpdir(), 'patchbay-entries-'));
  await cp(fileURLToPath(new URL('.', import.meta.url)), join(folder, 'src'), { recursive: true });
  await writeFile(join(folder, 'package.json'), '{ "type": "module" }');
});
afterAll(() => rm(folder, { recursive: true, force: true }));

const load = (entry: string) => {
  const url = pathToFileURL(join(folder, 'src', entry)).href;
  return promisify(execFile)(process.execPath, ['-e', `import(${JSON.stringify(url)})`], { timeout: 20_000 });
};

it.each(['plugin.ts', 'provider.ts', 'storage.ts'])('%s loads with no package installed', async (entry) => {
  await expect(load(entry)).resolves.toMatchObject({ stderr: '' });
});

it('index.ts, which has dependencies, does not load there', async () => {
  await expect(load('index.ts')).rejects.toThrow('ERR_MODULE_NOT_FOUND');
});
