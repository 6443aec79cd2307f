import { existsSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { expect, it } from 'vitest';
import { longFiles } from './long-files.ts';

it('the list of long test files names files that exist, each once', () => {
  const missing = longFiles.filter((file) => !existsSync(fileURLToPath(new URL(`../../${file}`, import.meta.url))));
  expect(missing).toEqual([]);
  expect(new Set(longFiles).size).toBe(longFiles.length);
});
