// biome-ignore-all lint/suspicious/noTemplateCurlyInString: that is what is tested
import { join } from 'node:path';
import { PatchbayError } from '@patchbay/contracts/errors';
import { describe, expect, it } from 'vitest';
import { configFolder } from '../config/fixtures/config-folder.ts';
import { createApp } from './create-app.ts';
import { type LoadConfigOptions, loadConfig } from './load-config.ts';

const secret = 'a'.repeat(32);

const sections = {
  server: { properties: { port: { type: 'integer', default: 4810 }, host: { type: 'string', default: '127.0.0.1' } } },
} as const;

/** With a separate environment for the test. */
const options = (cwd: string, more: LoadConfigOptions = {}) => ({ cwd, env: {}, ...more, sections });

async function refusalOf(files: Readonly<Record<string, string>>, more: LoadConfigOptions = {}) {
  using folder = configFolder(files);
  const error: unknown = await loadConfig(options(folder.path, more)).catch((thrown: unknown) => thrown);
  if (!PatchbayError.is(error)) throw new Error('the config was accepted', { cause: error });
  return { code: error.code, lines: error.message.replaceAll(folder.path, 'FOLDER').split('\n'), errors: error.errors };
}

describe('loadConfig', () => {
  it('an address range, a pattern and a model of an unknown provider are reported together, each with its position', async () => {
    const text = `patchbay: 1
providers: { acme: { use: plugin-good } }
gateway: { models: { openai/gpt-4.1: { quality: 0.9 }, acme/one: { quality: 1 }, gpt: { quality: 1 } } }
functions: { settings: { summarize: { model: mistral/large }, other: { model: auto }, third: { model: acme/one } } }
webhooks: { allow: [nonsense] }
proxies: { trusted: [10.0.0.1, 10.0.0.0/8, 10.0.0.0/33] }
`;
    const proxies = {
      properties: { trusted: { type: 'array', items: { type: 'string', format: 'address-range' } } },
    } as const;
    using folder = configFolder({ 'patchbay.config.yaml': text });
    const error = await loadConfig({ cwd: folder.path, env: {}, sections: { proxies } }).catch((thrown) => thrown);
    expect((error as PatchbayError).message.split('\n')).toEqual([
      'patchbay.config.yaml:2:27 providers.acme.use plugin-good is a plugin of kind "cache"; here belongs one of kind "provider"',
      'patchbay.config.yaml:3:38 gateway.models["openai/gpt-4.1"] belongs to a provider that is not mounted under "providers"',
      'patchbay.config.yaml:3:87 gateway.models.gpt must be a model id, <provider>/<model>',
      'patchbay.config.yaml:4:46 functions.settings.summarize.model belongs to a provider that is not mounted under "providers"',
      'patchbay.config.yaml:5:21 webhooks.allow[0] must be an IPv4 or IPv6 address, or a network such as 10.0.0.0/8',
      'patchbay.config.yaml:6:44 proxies.trusted[2] must be an IPv4 or IPv6 address, or a network such as 10.0.0.0/8',
    ]);
  });

  it('alias names that requests use for something else, and aliases for unknown models, are refused', async () => {
    const text = `patchbay: 1
providers: { fn: { use: plugin-good }, acme: { use: plugin-good } }
gateway: { aliases: { fast: { model: acme/one }, auto: { model: auto }, slow: { model: mistral/large, fallbacks: [fast] } } }
functions: { settings: { summarize: { model: fast }, other: { model: "auto:cost" } } }
`;
    using folder = configFolder({ 'patchbay.config.yaml': text });
    const error = await loadConfig({ cwd: folder.path, env: {} }).catch((thrown) => thrown);
    expect((error as PatchbayError).message.split('\n').filter((line) => !line.includes('plugin-good'))).toEqual([
      'patchbay.config.yaml:2:14 providers.fn is a name that requests use for something else',
      'patchbay.config.yaml:3:50 gateway.aliases.auto is a name that requests use for something else',
      'patchbay.config.yaml:3:88 gateway.aliases.slow.model belongs to a provider that is not mounted under "providers"',
      'patchbay.config.yaml:3:115 gateway.aliases.slow.fallbacks[0] must be a model id, <provider>/<model>',
    ]);
  });

  it.each([
    ['yaml', 'patchbay: 1\ncache: { use: plugin-good, with: { size: "${SIZE}" } }\nserver: { port: "${PORT:-99}" }\n'],
    ['yml', 'patchbay: 1\ncache:\n  use: plugin-good\n  with:\n    size: ${SIZE}\nserver:\n  port: ${PORT:-99}\n'],
    ['json', '{"patchbay":1,"cache":{"use":"plugin-good","with":{"size":"${SIZE}"}},"server":{"port":"${PORT:-99}"}}'],
    ['js', 'export default {patchbay:1,cache:{use:"plugin-good",with:{size:"${SIZE}"}},server:{port:"${PORT:-99}"}}'],
    ['mjs', 'import use from "plugin-good"; export default {patchbay:1,cache:{use,with:{size:7}},server:{port:99}}'],
    [
      'ts',
      `import type { AppConfig } from '@patchbay/core';
       const config: AppConfig & { server: object } = {
         patchbay: 1, cache: { use: 'plugin-good', with: { size: 7 } }, server: { port: 99 },
       };
       export default config;`,
    ],
    [
      'mts',
      'const size: number = 7; export default {patchbay:1,cache:{use:"plugin-good",with:{size}},server:{port:99}}',
    ],
  ])('reads patchbay.config.%s', async (extension, text) => {
    using folder = configFolder({ [`patchbay.config.${extension}`]: text });
    const loaded = await loadConfig(options(folder.path, { env: { SIZE: '7' } }));
    expect(loaded.file).toBe(join(folder.path, `patchbay.config.${extension}`));
    expect(loaded.directory).toBe(folder.path);
    expect(loaded.app.cache).toMatchObject({ use: { definition: { name: 'plugin-good' } }, with: { size: 7 } });
    expect(loaded.sections).toEqual({ server: { port: 99, host: '127.0.0.1' } });
    expect('server' in loaded.app).toBe(false);
  });

  it('an app starts with a loaded config', async () => {
    using folder = configFolder({
      'patchbay.config.yaml': `patchbay: 1\nsecret: ${secret}\ncache: {use: plugin-good}\n`,
    });
    const { app: config, directory } = await loadConfig(options(folder.path));
    const app = await createApp(config, { directory });
    expect((await app.host.health()).parts).toHaveProperty('cache');
    await app.host.stop();
  });

  it('a named file is read, and its paths are relative to its folder', async () => {
    using folder = configFolder({
      'patchbay.config.yaml': 'patchbay: 1\n',
      'etc/other.yaml': 'patchbay: 1\ncache: { use: ./own.js }\nsecret: "${file:key}"\n',
      'etc/own.js': "export { default } from 'plugin-good';",
      'etc/key': `${secret}\n`,
    });
    const loaded = await loadConfig(options(folder.path, { file: 'etc/other.yaml' }));
    expect(loaded.directory).toBe(join(folder.path, 'etc'));
    expect(loaded.app).toMatchObject({ secret, cache: { use: { definition: { name: 'plugin-good' } } } });
  });

  it('a missing or ambiguous file is refused', async () => {
    expect(await refusalOf({})).toMatchObject({ code: 'config_invalid', errors: [{ code: 'config_not_found' }] });
    expect(await refusalOf({}, { file: 'nope.yaml' })).toMatchObject({ lines: ['FOLDER/nope.yaml does not exist'] });
    const two = { 'patchbay.config.yaml': 'patchbay: 1', 'patchbay.config.json': '{"patchbay":1}' };
    expect((await refusalOf(two)).lines).toEqual([
      'there is more than one config file in FOLDER: patchbay.config.yaml, patchbay.config.json; name the one to use',
    ]);
    expect((await refusalOf({ 'x.toml': '' }, { file: 'x.toml' })).lines[0]).toContain(
      'does not have an extension of YAML, JSON,',
    );
  });

  it('all problems are reported at once, in the order of the file', async () => {
    const { code, lines, errors } = await refusalOf({
      'patchbay.config.yaml': `# A file with many faults.
storrage: { use: x }
server:
  prot: 80
  port: \${PORT}
cache:
  use: plugin-good
  with:
    size: big
    seize: 3
providers:
  openai: { use: plugin-good }
  Open AI: { use: plugin-god }
  future: { use: plugin-future, optional: perhaps }
  none: {}
executor: { use: plugin-throws }
queue: { use: ./nowhere.js }
telemetry: { use: plugin-future }
router: { use: plugin-broken-schema }
secret: \${SECRET}
secretFile: 3
executions: { timeoutMs: 70000 }
autoMigrate: "true"
`,
    });
    expect(code).toBe('config_invalid');
    expect(lines).toEqual([
      'patchbay.config.yaml:2:1 patchbay is required: write "patchbay: 1"',
      'patchbay.config.yaml:2:1 storrage is not an option; did you mean "storage"?',
      'patchbay.config.yaml:4:3 server.prot is not an option; did you mean "port"?',
      'patchbay.config.yaml:5:9 server.port needs the environment variable PORT, which is not set',
      'patchbay.config.yaml:9:11 cache.with.size must be an integer',
      'patchbay.config.yaml:10:5 cache.with.seize is not an option of plugin-good; did you mean "size"?',
      'patchbay.config.yaml:12:18 providers.openai.use plugin-good is a plugin of kind "cache"; here belongs one of kind "provider"',
      'patchbay.config.yaml:13:3 providers["Open AI"] is not a name: a to z, 0 to 9, "_" and "-", a letter or digit first',
      'patchbay.config.yaml:13:19 providers["Open AI"].use plugin-god is not installed; did you mean "plugin-good"?',
      'patchbay.config.yaml:14:18 providers.future.use plugin-future is a plugin of kind "cache"; here belongs one of kind "provider"',
      'patchbay.config.yaml:14:43 providers.future.optional must be a boolean',
      'patchbay.config.yaml:15:3 providers.none.use is required',
      'patchbay.config.yaml:16:18 executor.use plugin-throws cannot be imported: no licence key',
      'patchbay.config.yaml:17:15 queue.use ./nowhere.js does not exist',
      'patchbay.config.yaml:18:19 telemetry.use plugin-future is a plugin of kind "cache"; here belongs one of kind "telemetry"',
      'patchbay.config.yaml:19:16 router.use plugin-broken-schema is a plugin of kind "cache"; here belongs one of kind "router"',
      'patchbay.config.yaml:20:9 secret needs the environment variable SECRET, which is not set',
      'patchbay.config.yaml:21:13 secretFile must be a string: put it in quotes',
      'patchbay.config.yaml:22:26 executions.timeoutMs must be <= 60000',
      'patchbay.config.yaml:23:14 autoMigrate must be a boolean: write it without quotes',
    ]);
    expect(errors[3]).toEqual({
      pointer: '/server/port',
      code: 'unresolved',
      detail: 'needs the environment variable PORT, which is not set',
      line: 5,
      column: 9,
    });
  });

  it('reports a plugin of another version, and one with a schema that cannot be used', async () => {
    const config = 'patchbay: 1\ncache: { use: plugin-future }\n';
    expect((await refusalOf({ 'patchbay.config.yaml': config })).lines).toEqual([
      'patchbay.config.yaml:2:15 cache.use plugin-future implements cache@7; this host supports cache@1: update Patchbay',
    ]);
    const broken = 'patchbay: 1\ncache: { use: plugin-broken-schema }\n';
    expect((await refusalOf({ 'patchbay.config.yaml': broken })).lines[0]).toMatch(
      /^patchbay.config.yaml:2:15 cache.use plugin-broken-schema has a config schema that cannot be used: /,
    );
  });

  it('reports the problems of a JavaScript config without positions', async () => {
    const files = { 'patchbay.config.js': 'export default { patchbay: 2, secret: "short" };' };
    expect((await refusalOf(files)).lines).toEqual([
      'patchbay.config.js patchbay must be one of 1',
      'patchbay.config.js secret must NOT have fewer than 32 characters',
    ]);
    expect((await refusalOf({ 'patchbay.config.js': 'throw new Error("no");' })).lines[0]).toContain('no');
    expect((await refusalOf({ 'patchbay.config.js': 'export const a = 1;' })).lines).toEqual([
      'patchbay.config.js must be a map, such as "patchbay: 1"',
    ]);
  });

  it.each([
    ['', 'patchbay.config.yaml:1:1 must be a map'],
    ['- a\n', 'patchbay.config.yaml:1:1 must be a map'],
    ['a: [\n', 'patchbay.config.yaml:2:1 is not valid YAML'],
  ])('refuses the file %j', async (text, line) => {
    const { lines } = await refusalOf({ 'patchbay.config.yaml': text });
    expect(lines[0]).toContain(line);
  });

  it('never shows a value', async () => {
    const { lines, errors } = await refusalOf(
      {
        'patchbay.config.yaml': `patchbay: s3cr3t\nsecret: s3cr3t\ncache: { use: plugin-good, with: { size: s3cr3t } }
server: { port: "\${PORT}", host: [s3cr3t] }\nautoMigrate: "\${file:key}"\n`,
        key: 's3cr3t',
      },
      { env: { PORT: 's3cr3t' } },
    );
    expect(lines).toHaveLength(6);
    expect(JSON.stringify([lines, errors])).not.toContain('s3cr3t');
  });
});

describe('secrets', () => {
  const plugin = `
    export const events = globalThis.secretEvents = [];
    export default {
      $$type: 'patchbay.plugin',
      definition: {
        name: 'secrets-test', kind: 'secrets', version: 1,
        config: { properties: { prefix: { type: 'string' } }, required: ['prefix'] },
        create: ({ config }) => ({
          async start() { events.push('start'); },
          async stop() { events.push('stop'); },
          async resolve(name) { events.push(name); return config.prefix + name; },
        }),
      },
    };`;

  it('secrets come from environment variables by default', async () => {
    using folder = configFolder({ 'patchbay.config.yaml': 'patchbay: 1\nsecret: ${secret:ROOT}\n' });
    expect((await loadConfig(options(folder.path, { env: { ROOT: secret } }))).app.secret).toBe(secret);
    const { lines } = await refusalOf({ 'patchbay.config.yaml': 'patchbay: 1\nsecret: ${secret:ROOT}\n' });
    expect(lines).toEqual([
      'patchbay.config.yaml:2:9 secret needs the secret ROOT: the environment variable ROOT is not set',
    ]);
  });

  it('secrets come from the secrets plugin, which is started and stopped again', async () => {
    using folder = configFolder({
      'secrets.js': plugin,
      'patchbay.config.yaml': `patchbay: 1
secret: \${secret:rooooooooooooooooooooooot}
secrets: { use: ./secrets.js, with: { prefix: "\${PREFIX}" } }
`,
    });
    const loaded = await loadConfig(options(folder.path, { env: { PREFIX: 'production-' } }));
    expect(loaded.app.secret).toBe('production-rooooooooooooooooooooooot');
    expect(Reflect.get(globalThis, 'secretEvents')).toEqual(['start', 'rooooooooooooooooooooooot', 'stop']);
    expect(JSON.stringify(loaded.entries)).not.toContain('production-roo');
  });

  it('the secrets plugin is not started if the file names no secret', async () => {
    using folder = configFolder({
      'secrets.js': 'throw new Error("imported only once, by the check")',
      'patchbay.config.yaml': `patchbay: 1\nsecret: ${secret}\n`,
    });
    await expect(loadConfig(options(folder.path))).resolves.toMatchObject({ app: { secret } });
  });

  it('a problem of the secrets plugin is reported once', async () => {
    const { lines } = await refusalOf({
      'secrets.js': plugin,
      'patchbay.config.yaml': 'patchbay: 1\nsecret: ${secret:a}\nsecrets: { use: ./secrets.js }\n',
    });
    expect(lines).toEqual(['patchbay.config.yaml:3:1 secrets.with.prefix is required by secrets-test']);
  });

  it('a secrets plugin that does not start stops the host, even if it is optional', async () => {
    const { lines } = await refusalOf({
      'secrets.js': plugin.replace("events.push('start');", "throw new Error('sealed');"),
      'patchbay.config.yaml':
        'patchbay: 1\nsecret: ${secret:a}\nsecrets: { use: ./secrets.js, optional: true, with: { prefix: a } }\n',
    });
    expect(lines).toEqual(['patchbay.config.yaml:3:10 secrets secrets (secrets-test) did not start: sealed']);
  });

  it('the secrets section cannot use secrets', async () => {
    const { lines } = await refusalOf({
      'secrets.js': plugin,
      'patchbay.config.yaml': 'patchbay: 1\nsecrets: { use: ./secrets.js, with: { prefix: "${secret:a}" } }\n',
    });
    expect(lines).toEqual([
      'patchbay.config.yaml:2:47 secrets.with.prefix cannot use ${secret:...}: secrets come from here',
    ]);
  });
});
