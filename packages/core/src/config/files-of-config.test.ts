// biome-ignore-all lint/suspicious/noTemplateCurlyInString: what configs have in them
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { filesOfConfig } from './files-of-config.ts';

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'patchbay-'));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

const files = async (name: string, text: string) => {
  writeFileSync(join(folder, name), text);
  return await filesOfConfig(join(folder, name));
};

it('files that are read or imported are found, even in an invalid config', async () => {
  const found = await files(
    'patchbay.config.yaml',
    `patchbay: 1
nonsense: { use: "@patchbay/store-sqlite" }
providers:
  one: { use: ./one.ts, with: { apiKey: "\${file:keys/one}\${file:two}", baseUrl: "\${NOT_SET}" } }
  two: { use: "${new URL('two.js', `file://${folder}/`).href}", with: { list: ["\${file:/run/secrets/three}"] } }
`,
  );
  expect(found).toEqual({
    texts: [join(folder, 'keys/one'), join(folder, 'two'), '/run/secrets/three'],
    modules: [join(folder, 'one.ts'), join(folder, 'two.js')],
  });
});

it('configs in JavaScript are read', async () => {
  const found = await files('config.mjs', 'export default { patchbay: 1, secret: "${file:./secret}" };');
  expect(found).toEqual({ texts: [join(folder, 'secret')], modules: [] });
});

it('an unreadable config is an error', async () => {
  await expect(filesOfConfig(join(folder, 'nothing.yaml'))).rejects.toMatchObject({ code: 'config_invalid' });
});
