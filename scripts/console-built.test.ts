import { existsSync } from 'node:fs';
import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { brotliDecompressSync, gunzipSync } from 'node:zlib';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { buildConsole, builtFolder } from '../packages/console/scripts/build-console.ts';
import { buildReference, referenceFile } from '../packages/console/scripts/build-reference.ts';

const ignored = await readFile(fileURLToPath(new URL('../.gitignore', import.meta.url)), 'utf8');
const areKept = !ignored.includes('/packages/console/built/');

beforeEach(({ skip }) => skip(!areKept, 'the repository does not have the built files yet'));

const remedy = 'run npm run build:console and npm run build:reference, and commit what they write';

// Built into another folder than those that are kept: no path is part of a file.
describe('the built files of the console', () => {
  let folder: string;
  beforeAll(async () => {
    folder = `${await mkdtemp(join(tmpdir(), 'patchbay-console-'))}/`;
    await buildConsole(folder);
  });
  afterAll(() => rm(folder, { recursive: true }));

  it('are those of its sources', async () => {
    const [kept, made] = [existsSync(builtFolder) ? await readdir(builtFolder) : [], await readdir(folder)];
    expect(kept.toSorted(), remedy).toEqual(made.toSorted());
    const isPlain = (name: string) => !/\.(?:br|gz)$/.test(name);
    for (const name of made.filter(isPlain))
      expect((await readFile(builtFolder + name)).equals(await readFile(folder + name)), `${name}: ${remedy}`).toBe(
        true,
      );
  });

  // Other releases of zlib compress to other bytes.
  it('are compressed as they are', async () => {
    const compressed = (await readdir(builtFolder)).filter((name) => /\.(?:br|gz)$/.test(name));
    expect(compressed.length).toBeGreaterThan(0);
    for (const name of compressed) {
      const bytes = await readFile(builtFolder + name);
      const text = name.endsWith('.br') ? brotliDecompressSync(bytes) : gunzipSync(bytes);
      expect(text.equals(await readFile(builtFolder + name.replace(/\.\w+$/, ''))), `${name}: ${remedy}`).toBe(true);
    }
  });
});

it('the style and the script of the API reference are those of their sources', async () => {
  expect((await readFile(referenceFile, 'utf8')) === (await buildReference()), remedy).toBe(true);
});
