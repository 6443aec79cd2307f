import { execFileSync } from 'node:child_process';
import { once } from 'node:events';
import { readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { canary } from '@patchbay/canaries';
import { runCli } from '@patchbay/server/fixtures/run-cli';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { newFolder, runServer, type ServerProcess } from '../driver/run-server.ts';
import { sandboxProcesses } from '../driver/sandbox-processes.ts';

const bootstrapKey = canary('bootstrap-key');
const source = {
  name: 'Add',
  input: {
    type: 'object',
    properties: { a: { type: 'integer' }, b: { type: 'integer', default: 5 } },
    required: ['a'],
  },
  output: { type: 'object', properties: { sum: { type: 'integer' } }, required: ['sum'] },
};

describe('patchbay', () => {
  let folder: string;
  const processes: ServerProcess[] = [];
  const run = (env: Readonly<Record<string, string>> = {}, args: readonly string[] = []): ServerProcess => {
    const started = runServer(folder, env, args);
    processes.push(started);
    return started;
  };
  const stop = async (server: ServerProcess) => {
    server.child.kill('SIGTERM');
    return await server.ended();
  };
  beforeEach(() => {
    folder = newFolder();
  });
  afterEach(async () => {
    for (const server of processes.splice(0)) {
      server.child.kill('SIGKILL');
      await server.ended();
    }
    rmSync(folder, { recursive: true, force: true });
  });

  const call = (url: string, key: string, method: string, path: string, body?: object) => {
    const headers = { authorization: `Bearer ${key}`, 'content-type': 'application/json' };
    return fetch(url + path, { method, headers, ...(body && { body: JSON.stringify(body) }) });
  };

  it('starts without any config, shows one key once, stores and runs functions, and keeps them', async () => {
    const first = run();
    const url = await first.listening();
    const [, key = ''] = /Admin API key: (pbk_\S+)/.exec(first.output.stderr) ?? [];
    const [, shown = ''] = /In another terminal:\n([\s\S]+?)\n\n/.exec(first.output.stderr) ?? [];
    const pasted = execFileSync('sh', ['-c', `${shown}; echo; echo $PATCHBAY_URL`], {
      encoding: 'utf8',
      stdio: 'pipe',
    });
    expect(pasted.split('\n')).toEqual([expect.stringContaining('"data":[]'), url, '']);
    const code = 'async function add({ a, b = 5 }) { return { sum: a + b } }';
    const made = (await (await call(url, key, 'POST', '/functions', { ...source, code })).json()) as { id: string };
    const answer = await call(url, key, 'POST', `/functions/${made.id}/execute`, { input: { a: 1 } });
    expect(await answer.json()).toMatchObject({ status: 'completed', input: { a: 1 }, output: { sum: 6 } });
    expect(await stop(first)).toBe(0);

    expect(first.output.stdout).not.toContain(key);
    for (const line of first.output.stdout.trim().split('\n')) {
      expect(JSON.parse(line)).toMatchObject({ level: expect.any(String), message: expect.any(String) });
    }
    const second = run();
    const again = await second.listening();
    expect(second.output.stderr).not.toContain('pbk_');
    expect(second.output.stderr).toContain('patchbay keys create --name admin --scope "*"\n');
    expect(await (await call(again, key, 'GET', `/functions/${made.id}`)).json()).toEqual(made);
    expect(await stop(second)).toBe(0);
  });

  it('serves at the paths of its config file, and listens at HOST and PORT', async () => {
    const file = join(folder, 'patchbay.config.yaml');
    writeFileSync(
      file,
      `patchbay: 1
server: { port: 1, basePath: { functions: /api/v1, gateway: /ai, system: /reference }, logLevel: error }
authenticators:
  keys: { use: '@patchbay/auth-api-key', with: { bootstrapKey: '\${KEY}' } }
`,
    );
    const lines: string[] = [];
    const ended = await runCli({
      cwd: folder,
      env: { PORT: '0', KEY: bootstrapKey, HOST: 'localhost' },
      onLine: (line) => lines.push(line),
      async whileServing(said) {
        const url = /listens on (\S+)\n/.exec(said)?.[1] ?? '';
        expect((await call(url, bootstrapKey, 'GET', '/api/v1/functions')).status).toBe(200);
        expect((await call(url, bootstrapKey, 'GET', '/functions')).status).toBe(404);
        expect(said).toContain(file);
        expect(said).toContain(`${url}/reference/docs\n`);
        expect(said).toContain(
          `\n  Base URL: ${url}/ai/v1 for clients of OpenAI, ${url}/ai for clients of Anthropic\n`,
        );
      },
    });
    expect(ended).toMatchObject({ code: 0 });
    expect(lines).toEqual([]);
  });

  it('warns of a config without authenticators', async () => {
    writeFileSync(join(folder, 'patchbay.config.yaml'), 'patchbay: 1\n');
    const lines: string[] = [];
    const ended = await runCli({
      cwd: folder,
      env: { PORT: '0', PATCHBAY_BOOTSTRAP_KEY: bootstrapKey },
      onLine: (line) => lines.push(line),
      async whileServing(said) {
        const url = /listens on (\S+)\n/.exec(said)?.[1] ?? '';
        expect((await call(url, bootstrapKey, 'GET', '/functions')).status).toBe(401);
        expect(said).toContain('All requests are rejected: no authenticator is configured');
        expect(said).not.toContain('PATCHBAY_BOOTSTRAP_KEY');
      },
    });
    expect(ended.code).toBe(0);
    expect(lines.join('')).toContain('no authenticator is configured');
  });

  it('reports a port in use in one line', async () => {
    const other = createServer().listen(0, '127.0.0.1');
    await once(other, 'listening');
    const { port } = other.address() as AddressInfo;
    writeFileSync(join(folder, 'patchbay.config.yaml'), 'patchbay: 1\n');
    const { code, stderr } = await runCli({ cwd: folder, env: { PORT: String(port) } });
    expect(code).toBe(1);
    // Nothing was started: the data may be that of the server that has the port.
    expect(readdirSync(folder)).toEqual(['patchbay.config.yaml']);
    expect(stderr).toBe(`patchbay: 127.0.0.1:${port} is in use by another process; set PORT to another one\n`);
    other.close();
  });

  it('names every problem of a config with its place, and exits with 78', async () => {
    writeFileSync(join(folder, 'mine.yaml'), 'patchbay: 1\nserver: { prot: 1 }\nexecutor: { use: ./nothing.js }\n');
    const { code, stderr } = await runCli({ cwd: folder }, '--config', 'mine.yaml');
    expect(code).toBe(78);
    const lines = stderr.trim().split('\n');
    expect(lines).toHaveLength(2);
    expect(lines[0]).toMatch(/^patchbay: mine\.yaml:2:11 server\.prot .*port/);
    expect(lines[1]).toMatch(/^mine\.yaml:3:\d+ executor\.use .*nothing\.js/);
    expect(stderr).not.toMatch(/\n\s+at /);
  });

  it.each([
    [{ PORT: 'http' }, [], 78, 'PORT'],
    [{ PORT: '65536' }, [], 78, 'PORT'],
    [{ PATCHBAY_CONFIG: 'absent.yaml' }, [], 78, 'absent.yaml'],
    [{ HOST: '192.0.2.1' }, [], 1, '192.0.2.1'],
    [{}, ['--prot', '1'], 2, '--prot'],
  ])('names the fault in %o %o', async (env, args, code, text) => {
    writeFileSync(join(folder, 'patchbay.config.yaml'), 'patchbay: 1\n');
    const given = { PORT: '0', PATCHBAY_BOOTSTRAP_KEY: bootstrapKey, ...env };
    const ended = await runCli({ cwd: folder, env: given }, ...args);
    expect(ended.code).toBe(code);
    expect(ended.stderr).toContain(text);
    expect(ended.stderr).not.toMatch(/\n\s+at /);
  });

  it('names a key in the environment that is too short', async () => {
    const server = run({ PATCHBAY_BOOTSTRAP_KEY: 'short' });
    expect(await server.ended()).toBe(78);
    expect(server.output.stderr).toContain('32 characters');
    expect(server.output.stderr).not.toMatch(/\n\s+at /);
  });

  it('shows its help and its version', async () => {
    const manifest = JSON.parse(readFileSync(new URL('../../../server/package.json', import.meta.url), 'utf8')) as {
      version: string;
    };
    const version = run({}, ['--version']);
    expect(await version.ended()).toBe(0);
    expect(version.output.stdout).toBe(`${manifest.version}\n`);
    const help = run({}, ['--help']);
    expect(await help.ended()).toBe(0);
    expect(help.output.stdout).toContain('--config');
  });

  it('with a bootstrap key exits at the second signal without waiting for executions, and interrupts them', async () => {
    const env = { PATCHBAY_BOOTSTRAP_KEY: bootstrapKey, TMPDIR: folder };
    const server = run(env);
    const url = await server.listening();
    const code =
      'async function wait() { await new Promise((resolve) => setTimeout(resolve, 9_000)); return { sum: 1 } }';
    const made = (await (await call(url, bootstrapKey, 'POST', '/functions', { ...source, code })).json()) as {
      id: string;
    };
    const execution = call(url, bootstrapKey, 'POST', `/functions/${made.id}/execute`, { input: { a: 1 } }).catch(
      () => 'cut',
    );
    const list = async () => (await call(url, bootstrapKey, 'GET', `/functions/${made.id}/executions`)).json();
    await expect.poll(list).toMatchObject({ data: [{ status: 'running' }] });
    server.child.kill('SIGINT');
    // Within a second it would count as the same Ctrl-C.
    await delay(1_100);
    expect(server.child.exitCode).toBeNull();
    server.child.kill('SIGINT');
    expect(await server.ended()).toBe(1);
    expect(await execution).toBe('cut');
    expect(server.output.stdout).toContain('stopping immediately');
    await expect.poll(() => sandboxProcesses(folder)).toEqual([]);

    const after = run(env);
    const again = await after.listening();
    const executions = await (await call(again, bootstrapKey, 'GET', `/functions/${made.id}/executions`)).json();
    expect(executions).toMatchObject({ data: [{ status: 'interrupted' }] });
    expect(await stop(after)).toBe(0);
    // The key of the environment was accepted, and is shown nowhere.
    expect(after.output.stderr + after.output.stdout).not.toContain(bootstrapKey);
    expect(after.output.stderr).toContain('In another terminal, where PATCHBAY_BOOTSTRAP_KEY is set as here:\n');
    expect(after.output.stderr).toContain('PATCHBAY_API_KEY=$PATCHBAY_BOOTSTRAP_KEY\n');
    expect(after.output.stderr).not.toContain('pbk_');
  });
});
