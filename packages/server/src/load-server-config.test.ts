// biome-ignore-all lint/suspicious/noTemplateCurlyInString: the config and the modules fill them in
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { loadServerConfig } from './load-server-config.ts';
import { createLogger } from './logger.ts';

const named = (name: string) => `Object.assign(async (context, next) => await next(), { called: ${name} })`;
const files = {
  'plain.mjs': `export default ${named('"plain"')}`,
  'factory.mjs': `export default ({ name }) => ${named('name')}`,
  'no-options.mjs': `export default (options = {}) => ${named('Object.keys(options).length')}`,
  'compiled.cjs': `exports.__esModule = true; exports.default = ${named('"compiled"')}`,
  'required.cjs': `module.exports = ${named('"required"')}`,
  'nothing.mjs': 'export const middleware = 1',
  'object.mjs': 'export default { use() {} }',
  'async.mjs': 'export default async (options) => { throw new Error("later") }',
  'throws.mjs': 'export default ({ password }) => { throw new Error(`no ${password} here`) }',
  'broken.mjs': 'export default (context, next) => {\n  next(;\n}',
};

let folder: string;

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'patchbay-middleware-'));
  for (const [name, text] of Object.entries(files)) writeFileSync(join(folder, name), text);
});
afterEach(() => rmSync(folder, { recursive: true }));

async function load(text: string) {
  writeFileSync(join(folder, 'patchbay.config.yaml'), `patchbay: 1\n${text}`);
  const logger = createLogger(join(folder, 'log'));
  return await loadServerConfig({ file: undefined, cwd: folder, env: { TOKEN: 'sesame' }, logger });
}

async function refusal(text: string): Promise<readonly string[]> {
  const error: unknown = await load(text).catch((thrown: unknown) => thrown);
  return (error as Error).message.split('\n');
}

describe('server.middleware', () => {
  it('middleware, factories and CommonJS modules are loaded in the order of the file', async () => {
    const { middleware } = await load(`server:
  middleware:
    - { use: ./factory.mjs, with: { name: first } }
    - { use: ./plain.mjs }
    - { use: ./compiled.cjs }
    - { use: ./no-options.mjs }
    - { use: ./required.cjs }
    - { use: ./factory.mjs, with: { name: last } }
`);
    const called = middleware.map((one) => Reflect.get(one, 'called') as unknown);
    expect(called).toEqual(['first', 'plain', 'compiled', 0, 'required', 'last']);
  });

  it('bad modules are reported together with all other problems, each with its position', async () => {
    const lines = await refusal(`server:
  middleware:
    - { use: ./absent.mjs }
    - { use: koa-not-installed }
    - { use: ./nothing.mjs }
    - { use: ./object.mjs }
    - { use: ./plain.mjs }
    - { use: ./async.mjs }
    - use: ./throws.mjs
      with: { password: open-sesame }
    - { use: ./broken.mjs }
executions: { timeoutMs: 0 }
`);
    const noFunction = 'has no function as its default export: export Koa middleware, or a factory of it';
    expect(lines).toEqual([
      'patchbay.config.yaml:4:14 server.middleware[0].use ./absent.mjs does not exist',
      'patchbay.config.yaml:5:14 server.middleware[1].use koa-not-installed is not installed: run "npm install koa-not-installed"',
      `patchbay.config.yaml:6:14 server.middleware[2].use ./nothing.mjs ${noFunction}`,
      `patchbay.config.yaml:7:14 server.middleware[3].use ./object.mjs ${noFunction}`,
      'patchbay.config.yaml:9:14 server.middleware[5].use ./async.mjs is a factory that returns no middleware: a function (context, next)',
      'patchbay.config.yaml:11:13 server.middleware[6].with ./throws.mjs cannot be created: no [option] here',
      expect.stringMatching(
        /^patchbay\.config\.yaml:12:14 server\.middleware\[7\]\.use \.\/broken\.mjs cannot be imported: /,
      ),
      expect.stringMatching(/^patchbay\.config\.yaml:13:26 executions\.timeoutMs /),
    ]);
  });

  it('a module without a name, and an unknown option, are reported before anything is imported', async () => {
    expect(await refusal('server:\n  middleware: [{ with: {} }, { use: ./absent.mjs, options: {} }]\n')).toEqual([
      expect.stringMatching(/^patchbay\.config\.yaml:3:16 server\.middleware\[0\]\.use /),
      expect.stringMatching(/^patchbay\.config\.yaml:3:51 server\.middleware\[1\]\.options /),
    ]);
  });

  it('options are never shown', async () => {
    const text = 'server:\n  middleware:\n    - { use: ./factory.mjs, with: { name: "${TOKEN}" } }\n';
    const { entries, middleware } = await load(text);
    expect(Reflect.get(middleware[0] ?? {}, 'called')).toBe('sesame');
    expect(JSON.stringify(entries)).not.toContain('sesame');
  });
});
