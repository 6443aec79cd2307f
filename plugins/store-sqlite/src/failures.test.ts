import { chmod, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { describeOpenFailure, spaceHealth } from './failures.ts';

let folder: string;

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'patchbay-space-'));
});

afterEach(async () => {
  await chmod(folder, 0o700);
  await rm(folder, { recursive: true });
});

describe('the disk of a database', () => {
  it('the disk of a database raises a warning before it is full', async () => {
    expect(await spaceHealth(join(folder, 'patchbay.db'), 0)).toEqual({ status: 'pass' });
    expect(await spaceHealth(join(folder, 'patchbay.db'), Number.MAX_SAFE_INTEGER)).toEqual({
      status: 'warn',
      detail: expect.stringMatching(/^only \d+ MiB are left on the disk of the database$/),
    });
    expect(await spaceHealth(join(folder, 'nowhere', 'patchbay.db'))).toEqual({ status: 'pass' });
  });

  const failure = (code: string) => Object.assign(new Error('no'), { code });

  // Root may write everywhere.
  it.skipIf(process.getuid?.() === 0)('the disk of a database is named where it may not be written to', async () => {
    await chmod(folder, 0o500);
    expect(await describeOpenFailure(join(folder, 'patchbay.db'), failure('SQLITE_CANTOPEN'))).toBe(
      'the database cannot be opened (SQLITE_CANTOPEN): this process may not write there (EACCES)',
    );
  });

  it('the disk of a database is named where it may be full', async () => {
    const all = Number.MAX_SAFE_INTEGER;
    expect(await describeOpenFailure(join(folder, 'patchbay.db'), failure('SQLITE_IOERR_SHMSIZE'), all)).toMatch(
      /^reading or writing the database failed \(SQLITE_IOERR_SHMSIZE\): only \d+ MiB are left/,
    );
  });

  it('the disk of a database is not blamed for what it has nothing to do with', async () => {
    expect(await describeOpenFailure(join(folder, 'patchbay.db'), failure('SQLITE_NOTADB'))).toBe(
      'the file is damaged, or no database (SQLITE_NOTADB)',
    );
    expect(await describeOpenFailure(join(folder, 'patchbay.db'), failure('SQLITE_CANTOPEN'))).toMatch(
      /^the database cannot be opened \(SQLITE_CANTOPEN\)/,
    );
  });
});
