import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { placeOfThrow } from './place-of-throw.ts';

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'patchbay-'));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

const placeIn = async (name: string, text: string) => {
  const file = join(folder, name);
  writeFileSync(file, text);
  return await import(/* @vite-ignore */ `${pathToFileURL(file).href}?changed=1`).then(
    () => 'it was imported',
    (error: unknown) => placeOfThrow(error),
  );
};

it('finds what is thrown, and what is no TypeScript', async () => {
  expect(await placeIn('throws.mjs', 'export const a = 1;\nthrow new Error("no");\n')).toBe('throws.mjs:2:7 ');
  expect(await placeIn('wrong.ts', 'export const a = 1;\nconst b: = 2;\n')).toBe('wrong.ts:2:10 ');
});

it('says nothing where it knows nothing', () => {
  expect(placeOfThrow('a text')).toBe('');
  expect(placeOfThrow(Object.assign(new Error('no'), { stack: 'Error: no' }))).toBe('');
  const stack = 'Error: no\n    at file:///srv/node_modules/acme/index.js:1:2';
  expect(placeOfThrow(Object.assign(new Error('no'), { stack }))).toBe('');
});
