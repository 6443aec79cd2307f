import { once } from 'node:events';
import { existsSync, rmSync, writeFileSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { canary } from '@patchbay/canaries';
import { runCli } from '@patchbay/server/fixtures/run-cli';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { newFolder } from '../driver/run-server.ts';

const folder = newFolder();
let provider: Server;
let origin: string;
const cli = (...args: string[]) =>
  runCli(
    {
      cwd: folder,
      env: {
        PATH: process.env['PATH'],
        NODE_COMPILE_CACHE: process.env['NODE_COMPILE_CACHE'],
        KEY: canary('key-of-a-config'),
        PORT: '0',
      },
    },
    ...args,
  );

beforeAll(async () => {
  provider = createServer((_, response) => response.writeHead(404).end()).listen(0, '127.0.0.1');
  await once(provider, 'listening');
  origin = `http://127.0.0.1:${(provider.address() as AddressInfo).port}`;
  writeFileSync(
    join(folder, 'patchbay.config.yaml'),
    `patchbay: 1
storage: { use: "@patchbay/store-sqlite", with: { file: ./patchbay.db } }
executor: { use: "@patchbay/executor-deno" }
providers:
  openai: { use: "@patchbay/provider-openai", with: { apiKey: "\${KEY}", baseUrl: "${origin}/v1" } }
  nobody: { use: "@patchbay/provider-openai", with: { apiKey: x, baseUrl: "http://127.0.0.1:9/v1" } }
  off: { use: "@patchbay/provider-google", with: { apiKey: "" } }
authenticators: { keys: { use: "@patchbay/auth-api-key" } }
secret: ${canary('secret-of-a-config')}
`,
  );
});
afterAll(() => {
  provider.close();
  rmSync(folder, { recursive: true, force: true });
});

describe('patchbay config', () => {
  it('print shows every value with its source, and no secret', async () => {
    const { code, stdout, stderr } = await cli('config', 'print');
    expect(code).toBe(0);
    expect(stdout).toContain('apiKey: "[secret]" # KEY');
    expect(stdout).toContain('port: 0 # PORT');
    expect(stdout).toContain('host: 127.0.0.1 # default');
    expect(stderr).toContain('patchbay.config.yaml');
    expect(stdout).not.toContain(canary('key-of-a-config'));
    expect(stdout).not.toContain(canary('secret-of-a-config'));
    const entries = (await cli('config', 'print', '--json')).stdout.trim().split('\n');
    expect(entries.map((line) => JSON.parse(line) as object)).toContainEqual({
      path: ['providers', 'openai', 'with', 'apiKey'],
      value: '[secret]',
      source: 'KEY',
      line: 5,
      column: expect.any(Number),
    });
  });

  it('validate reports database URLs, models and proxies together, each with its place', async () => {
    const file = join(folder, 'wrong.config.yaml');
    const password = canary('password-of-a-database');
    writeFileSync(
      file,
      `patchbay: 1
storage: { use: "@patchbay/store-postgres", with: { url: "patchbay:${password}@db:5432/patchbay" } }
rateLimiter: { use: "@patchbay/limiter-postgres", with: { url: "db:5432/patchbay" } }
queue: { use: "@patchbay/queue-pgboss", with: { url: "db:5432/patchbay" } }
providers: { openai: { use: "@patchbay/provider-openai" } }
gateway: { models: { opennai/gpt-4.1: { quality: 0.9 } } }
server: { trustedProxies: [10.0.0.1, proxy.internal] }
`,
    );
    const { code, stderr } = await cli('config', 'validate', '--config', file);
    expect(code).toBe(78);
    expect(stderr).not.toContain(password);
    expect(stderr.split('\n').filter((line) => line.includes('wrong.config.yaml:'))).toEqual([
      expect.stringMatching(/wrong.config.yaml:2:58 storage.with.url must be a postgres or postgresql URL$/),
      expect.stringMatching(/wrong.config.yaml:3:64 rateLimiter.with.url must be a postgres or postgresql URL$/),
      expect.stringMatching(/wrong.config.yaml:4:54 queue.with.url must be a postgres or postgresql URL$/),
      expect.stringMatching(/wrong.config.yaml:6:39 gateway.models\["opennai.*; did you mean "openai"\?/),
      expect.stringMatching(/wrong.config.yaml:7:38 server.trustedProxies\[1\] must be an IPv4 or IPv6 address, or/),
    ]);
  });

  it('validate says in words what a pattern expects', async () => {
    const provider = (name: string, baseUrl: string) =>
      `  ${name}: { use: "@patchbay/provider-${name}", with: { apiKey: x, baseUrl: "${baseUrl}" } }\n`;
    writeFileSync(
      join(folder, 'patterns.yaml'),
      `patchbay: 1
server: { processes: two, basePath: { system: ops }, cors: { origins: [app.acme.com] } }
providers:
${provider('openai', 'localhost:11434')}${provider('anthropic', 'http://')}${provider('google', 'http://exa mple')}`,
    );
    const { code, stderr } = await cli('config', 'validate', '--config', 'patterns.yaml');
    expect(code).toBe(78);
    expect(stderr.match(/patterns\.yaml:.*/g)).toEqual([
      'patterns.yaml:2:22 server.processes must be auto or a number',
      'patterns.yaml:2:47 server.basePath.system must be a path such as /api/v1, without "/" at its end',
      'patterns.yaml:2:72 server.cors.origins[0] must be an origin such as https://app.acme.com, without a path, or "*"',
      'patterns.yaml:4:75 providers.openai.with.baseUrl must be an http or https URL',
      'patterns.yaml:5:81 providers.anthropic.with.baseUrl must be an http or https URL',
      'patterns.yaml:6:75 providers.google.with.baseUrl must be an http or https URL',
    ]);
  });

  it('validate tells every fault with its place', async () => {
    expect(await cli('config', 'validate')).toMatchObject({ code: 0, stdout: '' });
    writeFileSync(join(folder, 'wrong.yaml'), 'patchbay: 1\nserver: { prot: 1 }\nexecutor: { use: ./nothing.js }\n');
    const { code, stderr } = await cli('config', 'validate', '--config', 'wrong.yaml');
    expect(code).toBe(78);
    expect(stderr).toMatch(/wrong\.yaml:2:11 server\.prot .*\nwrong\.yaml:3:\d+ executor\.use /);
    const json = JSON.parse((await cli('config', 'validate', '-c', 'wrong.yaml', '--json')).stderr);
    expect(json.error).toMatchObject({ code: 'config_invalid', exitCode: 78, errors: [{ line: 2, column: 11 }, {}] });
  });

  it('schema knows the options of plugins, and takes references for numbers', async () => {
    const schema = JSON.parse((await cli('config', 'schema')).stdout);
    expect(schema.properties.server.properties.port.anyOf).toEqual([
      expect.objectContaining({ type: 'integer', maximum: 65_535 }),
      { type: 'string', pattern: '\\$\\{' },
    ]);
    const known = schema.properties.providers.additionalProperties.allOf.map(
      (each: { if: { properties: { use: { const: string } } } }) => each.if.properties.use.const,
    );
    expect(known).toContain('@patchbay/provider-openai');
    expect(JSON.stringify(schema)).not.toContain(canary('key-of-a-config'));
  });

  it('docs is a page of all options', async () => {
    const { stdout } = await cli('config', 'docs');
    expect(stdout).toContain('| `server.port` | integer | `4810` |');
    expect(stdout).toContain('## @patchbay/executor-deno');
    expect(stdout).toContain('| `apiKey` | string, secret |');
  });
});

describe('patchbay doctor', () => {
  it('shows what works and what does not', async () => {
    const { code, stdout, stderr } = await cli('doctor', '--json');
    const checks = stdout
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line) as { name: string; status: string; detail: string });
    const status = Object.fromEntries(checks.map((check) => [check.name, check.status]));
    expect(status).toMatchObject({
      node: 'pass',
      config: 'pass',
      secret: 'pass',
      storage: 'pass',
      'provider openai': 'pass',
      'provider nobody': 'fail',
      'provider off': 'skip',
      clock: 'pass',
      port: 'pass',
    });
    expect(checks.find(({ name }) => name === 'executor')?.detail).toMatch(/jail/);
    expect(code).toBe(1);
    expect(stderr).toContain('failures: 1');
  });

  it('fails for an executor without a jail', async () => {
    const executor = 'executor: { use: "@patchbay/executor-deno", with: { jail: none, spares: 1 } }';
    writeFileSync(join(folder, 'unjailed.yaml'), `patchbay: 1\n${executor}\n`);
    const { code, stdout } = await cli('doctor', '--config', 'unjailed.yaml');
    expect(code).toBe(1);
    expect(stdout).toMatch(/fail {2}executor: .*in no jail/);
  });

  it('shows that the port is in use, and by which process', async () => {
    const { port } = provider.address() as AddressInfo;
    const env = {
      PATH: process.env['PATH'],
      NODE_COMPILE_CACHE: process.env['NODE_COMPILE_CACHE'],
      KEY: 'x',
      PORT: String(port),
    };
    const { code, stdout } = await runCli({ cwd: folder, env }, 'doctor');
    expect(code).toBe(1);
    expect(stdout).toContain(`fail  port: 127.0.0.1:${port} is in use by another process`);
  });

  it('works without a config file and without any variable of a provider', async () => {
    const data = newFolder();
    const { code, stdout, stderr } = await runCli(
      { cwd: data, env: { PATH: process.env['PATH'], PATCHBAY_DATA: join(data, 'data'), PORT: '0' } },
      'doctor',
    );
    expect(stdout).toMatch(/^skip {2}provider ollama: no baseUrl is set$/m);
    expect(stdout).toMatch(/^skip {2}clock: /m);
    expect(stderr).toContain('failures: 0');
    expect(code).toBe(0);
    expect(existsSync(join(data, 'data/secret'))).toBe(false);
    rmSync(data, { recursive: true });
  });

  it('fails for a secret with which the server refuses to start', async () => {
    writeFileSync(join(folder, 'short-secret'), 'x', { mode: 0o600 });
    writeFileSync(join(folder, 'refused.yaml'), 'patchbay: 1\nsecretFile: ./short-secret\n');
    const refused = await cli('doctor', '--config', 'refused.yaml');
    expect(refused.stdout).toMatch(/^fail {2}secret: secretFile .*short-secret is too short: a root secret has 32/m);
    expect(refused.code).toBe(1);
    expect((await cli('serve', '--config', 'refused.yaml')).stderr).toContain('short-secret is too short');
  });

  it('stops at an invalid config', async () => {
    const { code, stdout } = await cli('doctor', '--config', 'wrong.yaml');
    expect(code).toBe(1);
    expect(stdout).toMatch(/fail {2}config: wrong\.yaml:2:11/);
  });
});
