import { mkdtemp, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { makeFolder } from './make-folder.ts';

describe('makeFolder', () => {
  let directory: string;
  beforeAll(async () => {
    directory = await mkdtemp(join(tmpdir(), 'patchbay-folder-'));
  });
  afterAll(() => rm(directory, { recursive: true }));

  it('makes those above it, with the mode, and tells one that was there', async () => {
    const folder = join(directory, 'a/b/c');
    expect(await makeFolder(folder, 0o700)).toBe(true);
    expect(await makeFolder(folder, 0o700)).toBe(false);
    expect((await stat(join(directory, 'a'))).mode & 0o777).toBe(0o700);
    const all = await Promise.all(Array.from({ length: 10 }, () => makeFolder(join(directory, 'x/y/z'))));
    expect(all.filter(Boolean)).toHaveLength(1);
  });

  it('fails where a file is in the way', async () => {
    await writeFile(join(directory, 'file'), '');
    await expect(makeFolder(join(directory, 'file/a/b'))).rejects.toMatchObject({ code: 'ENOTDIR' });
  });

  it.skipIf(process.platform !== 'linux')('comes back where the system takes no folder', async () => {
    await expect(makeFolder('/proc/patchbay/data')).rejects.toMatchObject({ code: 'ENOENT' });
  });
});
