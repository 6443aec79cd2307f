import { mkdtempSync, readFileSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { parseSync } from 'oxc-parser';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { writeBootstrap } from './explore-machine.ts';

let folder: string;
let file: string;
beforeAll(async () => {
  folder = mkdtempSync(path.join(tmpdir(), 'bootstrap-'));
  file = await writeBootstrap(folder, new AbortController().signal);
});
afterAll(() => rmSync(folder, { recursive: true }));

it('the bootstrap is one module without imports and exports', () => {
  const { errors, module } = parseSync(file, readFileSync(file, 'utf8'));
  expect(errors).toEqual([]);
  expect([module.staticImports, module.staticExports]).toEqual([[], []]);
});

it('the bootstrap can be read by every user, and written by none', () => {
  expect(statSync(path.dirname(file)).mode & 0o777).toBe(0o755);
  expect(statSync(file).mode & 0o777).toBe(0o444);
});
