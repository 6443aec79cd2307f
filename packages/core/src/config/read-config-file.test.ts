import { afterAll, expect, it } from 'vitest';
import { configFolder } from './fixtures/config-folder.ts';
import { readConfigFile } from './read-config-file.ts';

const folder = configFolder();
afterAll(() => folder[Symbol.dispose]());
folder.write('part.mjs', 'export const port = ;\n');

it.each([
  ['a syntax error', 'wrong.mjs', 'export default {\n  patchbay: 1 1,\n};\n', 'wrong.mjs:2:15 Unexpected number'],
  ['a syntax error after a change', 'again.mjs', 'export default [1 1];\n', 'again.mjs:1:19 Unexpected number'],
  ['a syntax error in TypeScript', 'typed.ts', 'const a: = 2;\nexport default a;\n', 'typed.ts:1:10 '],
  ['a syntax error of an imported file', 'outer.mjs', "import './part.mjs';\n", 'part.mjs:1:21 Unexpected token'],
  [
    'what the file throws',
    'thrown.mjs',
    'export default {\n  patchbay: nothing };\n',
    'thrown.mjs:2:13 nothing is not',
  ],
])('a config file fails with the position of %s', async (_, name, text, expected) => {
  const file = folder.write(name, text);
  await expect(readConfigFile(file, name === 'again.mjs')).rejects.toMatchObject({
    code: 'config_invalid',
    message: expect.stringContaining(`${file} cannot be imported: ${expected}`),
  });
});
