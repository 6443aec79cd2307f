import { createHmac } from 'node:crypto';
import { chmod, mkdir, mkdtemp, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Logger } from '@patchbay/contracts/context';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { createRootSecret, makeFolder, openRootSecret } from './root-secret.ts';

const hex = (bytes: Uint8Array) => Buffer.from(bytes).toString('hex');

describe('createRootSecret', () => {
  it('derives 32 bytes per purpose, as RFC 5869 specifies', () => {
    const secret = 'x'.repeat(40);
    const prk = createHmac('sha256', 'patchbay root secret').update(secret).digest();
    const okm = createHmac('sha256', prk)
      .update('api keys')
      .update(Buffer.from([1]))
      .digest('hex');
    expect(hex(createRootSecret(secret).derive('api keys'))).toBe(okm);
    expect(hex(createRootSecret(secret).derive('cursors'))).not.toBe(okm);
  });
});

describe('openRootSecret', () => {
  let directory: string;
  let warnings: string[];
  let notes: string[];
  let options: { directory: string; logger: Logger };

  beforeEach(async () => {
    directory = await mkdtemp(join(tmpdir(), 'patchbay-secret-'));
    warnings = [];
    notes = [];
    const info = (message: string) => notes.push(message);
    const logger = { debug() {}, info, warn: (message: string) => warnings.push(message), error() {} };
    options = { directory, logger };
  });
  afterEach(() => rm(directory, { recursive: true }));

  it('a secret in the config is used', async () => {
    const opened = await openRootSecret({ secret: 'y'.repeat(32) }, options);
    expect(hex(opened.derive('a'))).toBe(hex(createRootSecret('y'.repeat(32)).derive('a')));
    expect(warnings).toEqual([]);
  });

  it('without a configured secret, a random one is made, with a warning', async () => {
    const [one, two] = [await openRootSecret({}, options), await openRootSecret({}, options)];
    expect(hex(one.derive('a'))).not.toBe(hex(two.derive('a')));
    expect(warnings[0]).toContain('become invalid when this process exits');
  });

  it('creates a file that only its owner can read, and reads the same secret back from it', async () => {
    const config = { secretFile: 'data/secret' };
    const made = await openRootSecret(config, options);
    const file = join(directory, 'data/secret');
    expect((await stat(file)).mode & 0o777).toBe(0o600);
    expect((await stat(join(directory, 'data'))).mode & 0o777).toBe(0o700);
    expect((await readFile(file, 'utf8')).trim()).toMatch(/^[\w-]{43}$/);
    expect(notes).toHaveLength(1);
    const again = await openRootSecret(config, options);
    expect(notes).toHaveLength(1);
    expect(hex(again.derive('a'))).toBe(hex(made.derive('a')));
    expect((await readdir(join(directory, 'data'))).toSorted()).toEqual(['.gitignore', 'secret']);
    expect(warnings).toEqual([]);
  });

  it('a new or empty folder of the file gets a .gitignore', async () => {
    const ignored = (folder: string) => readFile(join(directory, folder, '.gitignore'), 'utf8').catch(() => undefined);
    for (const folder of ['empty', 'own', 'full']) await mkdir(join(directory, folder));
    await writeFile(join(directory, 'own/.gitignore'), 'secret\n');
    await writeFile(join(directory, 'full/code.ts'), '');
    for (const folder of ['new', 'empty', 'own', 'full']) {
      await openRootSecret({ secretFile: `${folder}/secret` }, options);
    }
    expect([await ignored('new'), await ignored('empty')]).toEqual(['*\n', '*\n']);
    expect([await ignored('own'), await ignored('full')]).toEqual(['secret\n', undefined]);
  });

  it('processes that start at the same time agree on one secret', async () => {
    const opened = await Promise.all(
      Array.from({ length: 20 }, () => openRootSecret({ secretFile: 'secret' }, options)),
    );
    expect(new Set(opened.map((secret) => hex(secret.derive('a')))).size).toBe(1);
    expect((await readdir(directory)).toSorted()).toEqual(['.gitignore', 'secret']);
    expect(await readFile(join(directory, '.gitignore'), 'utf8')).toBe('*\n');
  });

  it('warns about a file that others can read', async () => {
    await writeFile(join(directory, 'secret'), 'z'.repeat(32));
    await chmod(join(directory, 'secret'), 0o644);
    await openRootSecret({ secretFile: 'secret' }, options);
    expect(warnings[0]).toContain('chmod 600');
  });

  it.each([
    ['a short secret', 'short', 'is too short'],
    ['an empty file', '', 'is too short'],
  ])('refuses %s', async (_name, content, message) => {
    await writeFile(join(directory, 'secret'), content, { mode: 0o600 });
    const error = await openRootSecret({ secretFile: 'secret' }, options).catch((thrown: unknown) => thrown);
    expect(error).toMatchObject({ code: 'config_invalid' });
    expect((error as Error).message).toContain(message);
  });

  it('names a file that cannot be used', async () => {
    await writeFile(join(directory, 'folder'), '');
    await expect(openRootSecret({ secretFile: 'folder/secret' }, options)).rejects.toMatchObject({
      code: 'config_invalid',
      message: `secretFile ${join(directory, 'folder/secret')} cannot be used: ENOTDIR`,
    });
  });
});

describe('makeFolder', () => {
  let directory: string;
  beforeAll(async () => {
    directory = await mkdtemp(join(tmpdir(), 'patchbay-folder-'));
  });
  afterAll(() => rm(directory, { recursive: true }));

  it('parent folders are made with the mode, and an existing folder is reported', async () => {
    const folder = join(directory, 'a/b/c');
    expect(await makeFolder(folder, 0o700)).toBe(true);
    expect(await makeFolder(folder, 0o700)).toBe(false);
    expect((await stat(join(directory, 'a'))).mode & 0o777).toBe(0o700);
    const all = await Promise.all(Array.from({ length: 10 }, () => makeFolder(join(directory, 'x/y/z'))));
    expect(all.filter(Boolean)).toHaveLength(1);
  });

  it('a file in the way is an error', async () => {
    await writeFile(join(directory, 'file'), '');
    await expect(makeFolder(join(directory, 'file/a/b'))).rejects.toMatchObject({ code: 'ENOTDIR' });
  });

  it.skipIf(process.platform !== 'linux')('a folder that the system refuses is an error, not a hang', async () => {
    await expect(makeFolder('/proc/patchbay/data')).rejects.toMatchObject({ code: 'ENOENT' });
  });
});
