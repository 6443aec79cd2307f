import { execFile } from 'node:child_process';
import { cp, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';

const run = promisify(execFile);

/** The sources of the core, in a folder where no package can be found. */
let folder: string;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'patchbay-plugin-'));
  await cp(fileURLToPath(new URL('.', import.meta.url)), join(folder, 'src'), { recursive: true });
  await writeFile(join(folder, 'package.json'), '{"type":"module"}');
});
afterAll(() => rm(folder, { recursive: true }));

/** What a plain Node says to importing a module of the core there. */
async function importThere(module: string): Promise<string> {
  const script = `import(${JSON.stringify(`./src/${module}`)}).then(
    (exports) => console.log(Object.keys(exports).sort().join()),
    (error) => console.log(error.code),
  )`;
  const env = { PATH: process.env['PATH'] };
  return (await run(process.execPath, ['--input-type=module', '-e', script], { cwd: folder, env })).stdout.trim();
}

describe('@patchbay/core/plugin', () => {
  it('loads where nothing is installed', async () => {
    const names = (await importThere('plugin.ts')).split(',');
    expect(names).toEqual(expect.arrayContaining(['PatchbayError', 'definePlugin', 'services']));
  });

  it('is not what embedders import, which needs packages', async () => {
    expect(await importThere('index.ts')).toBe('ERR_MODULE_NOT_FOUND');
  });
});
