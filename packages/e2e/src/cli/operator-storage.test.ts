import { existsSync, mkdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { runCli } from '@patchbay/server/fixtures/run-cli';
import { afterAll, expect, it } from 'vitest';
import { newFolder } from '../driver/run-server.ts';

// Commands that work on a storage, in a folder that has neither a config nor a storage.

const folder = newFolder();
afterAll(() => rmSync(folder, { recursive: true, force: true }));
const file = join(folder, 'data/patchbay.db');
const cli = (...args: string[]) => runCli({ cwd: folder }, ...args);
const create = ['keys', 'create', '--name', 'mine', '--scope', '*'];

it.each([create, ['keys', 'list'], ['audit', 'verify'], ['types'], ['functions', 'explain', 'x']])(
  '%s %s makes no storage by itself, and names the one that there is not',
  async (...line) => {
    const { code, stdout, stderr } = await cli(...line);
    expect([code, stdout, stderr]).toEqual([2, '', expect.stringContaining(file)]);
    expect(existsSync(join(folder, 'data'))).toBe(false);
  },
);

it('keys create makes one with --yes, names it, and does not ask again', async () => {
  mkdirSync(join(folder, 'data'));
  expect(await cli(...create, '--yes')).toMatchObject({
    code: 0,
    stdout: expect.stringMatching(/^pbk_/),
    stderr: expect.stringContaining(`storage: ${file}, of the built-in config`),
  });
  expect(await cli(...create)).toMatchObject({ code: 0, stderr: expect.stringContaining(`storage: ${file}`) });
});
