import { pathToFileURL } from 'node:url';
import { afterAll, expect, it } from 'vitest';
import { configFolder } from './fixtures/config-folder.ts';
import { placeOfSyntaxError } from './place-of-syntax-error.ts';

const folder = configFolder();
afterAll(() => folder[Symbol.dispose]());
const placeIn = (file: string) => placeOfSyntaxError(`${pathToFileURL(file).href}?changed=1`, folder.path);

it('finds what is no JavaScript, also in what is imported by a path', async () => {
  const wrong = folder.write('wrong part.mjs', 'const a = 1;\nconst b = = 2;\n');
  expect(await placeIn(wrong)).toBe('wrong part.mjs:2:11 ');
  const outer = folder.write('outer.mjs', "import './wrong part.mjs';\nimport './nowhere.mjs';\n");
  expect(await placeIn(outer)).toBe('wrong part.mjs:2:11 ');
  expect(await placeIn(folder.write('typed.ts', "import './wrong part.mjs';\nconst a: number = 1;\n"))).toBe(
    'wrong part.mjs:2:11 ',
  );
});

it('runs nothing, and says nothing of what is right', async () => {
  const right = folder.write('right.mjs', 'process.exit(3);\nthrow new Error();\n');
  expect(await placeIn(right)).toBe('');
  expect(await placeOfSyntaxError('data:text/javascript,(', folder.path)).toBe('');
});
