import { pathToFileURL } from 'node:url';
import { afterAll, expect, it } from 'vitest';
import { configFolder } from './fixtures/config-folder.ts';
import { placeOfSyntaxError, placeOfThrow } from './place-of-throw.ts';

const thrown = (...stack: readonly string[]) => Object.assign(new Error('no'), { stack: stack.join('\n') });
const inFolder = (...stack: readonly string[]) => placeOfThrow(thrown(...stack), ['/srv/app', '/srv/linked/src']);

it('the location of a thrown error is found', () => {
  const first = '    at file:///srv/app/plugins/a%20b.mjs?changed=1:2:7';
  expect(inFolder('Error: no', first, '    at file:///srv/app/x.js:9:9')).toBe('plugins/a b.mjs:2:7 ');
  const inside = '    at connect (file:///srv/app/x.ts:3:4)';
  expect(inFolder('Error: no', '    at definePlugin (/srv/patchbay/core.js:1:1)', inside)).toBe('x.ts:3:4 ');
});

it('the location of a TypeScript error or a missing export is found', () => {
  const rest = ['       ^', '', 'SyntaxError [ERR_INVALID_TYPESCRIPT_SYNTAX]: Unexpected token'];
  expect(inFolder('/srv/app/wrong.ts:2', 'const b: = 2;', ...rest)).toBe('wrong.ts:2:8 ');
  expect(inFolder('file:///srv/app/wrong.mjs?changed=1:2', 'import { a } from "b";', ...rest)).toBe('wrong.mjs:2:8 ');
});

it('the caret is found among the lines around it, and so is a syntax error outside the folder', () => {
  const around = ['const a = 1;', 'const b: = 2;', '         ^', 'export default 3;', '', 'SyntaxError: Unexpected'];
  expect(inFolder('file:///srv/app/wrong.ts:2', ...around)).toBe('wrong.ts:2:10 ');
  expect(inFolder('file:///srv/other/wrong.ts:1', 'export default (', '', 'SyntaxError: no')).toBe(
    '../other/wrong.ts:1 ',
  );
  expect(inFolder('file:///srv/app/node_modules/acme/index.ts:2', ...around)).toBe('');
});

it('the location of an error next to a plugin in another folder is found', () => {
  expect(inFolder('Error: no', '    at file:///srv/linked/src/index.ts:1:2')).toBe('../linked/src/index.ts:1:2 ');
});

it('an unknown or foreign location is left out', () => {
  expect(placeOfThrow('a text', ['/srv/app'])).toBe('');
  expect(inFolder('Error: no')).toBe('');
  expect(inFolder('Error: no', '    at file:///srv/app/node_modules/acme/index.js:1:2')).toBe('');
  expect(inFolder('Error: no', '    at file:///srv/other/index.js:1:2', '    at node:internal/modules:1:2')).toBe('');
});

const folder = configFolder();
afterAll(() => folder[Symbol.dispose]());
const placeIn = (file: string) => placeOfSyntaxError(`${pathToFileURL(file).href}?changed=1`, folder.path);

it('the location of a JavaScript syntax error is found, even in an imported file', async () => {
  const wrong = folder.write('wrong part.mjs', 'const a = 1;\nconst b = = 2;\n');
  expect(await placeIn(wrong)).toBe('wrong part.mjs:2:11 ');
  const outer = folder.write('outer.mjs', "import './wrong part.mjs';\nimport './nowhere.mjs';\n");
  expect(await placeIn(outer)).toBe('wrong part.mjs:2:11 ');
  expect(await placeIn(folder.write('typed.ts', "import './wrong part.mjs';\nconst a: number = 1;\n"))).toBe(
    'wrong part.mjs:2:11 ',
  );
});

it('nothing is executed, and a valid file has no location', async () => {
  const right = folder.write('right.mjs', 'process.exit(3);\nthrow new Error();\n');
  expect(await placeIn(right)).toBe('');
  expect(await placeOfSyntaxError('data:text/javascript,(', folder.path)).toBe('');
});
