import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { promisify } from 'node:util';
import { rolldown } from 'rolldown';
import { afterAll, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest';
import { probes } from './fixtures/hazard-probes.ts';
import { type PlatformRun, runOnPlatform } from './fixtures/platform-run.ts';
import { runInWorkerd } from './fixtures/run-in-workerd.ts';
import { type Answer, events, json, output, type ScriptedServer, startServer } from './fixtures/start-server.ts';

// The same on every available platform: nothing that inspects the client calls the server or hangs, and what is
// called goes through the platform's own `fetch`.

const run = promisify(execFile);
const file = fileURLToPath(new URL('./fixtures/platform-run.ts', import.meta.url));
// If the machine has one; nothing is downloaded for it.
const chromium = ['/usr/bin/chromium', '/usr/bin/chromium-browser', '/usr/bin/google-chrome'].find(existsSync);

// `npm run test:runtimes` installs these two and sets where they are.
const bun = process.env['PATCHBAY_TEST_BUN'];
const workerd = process.env['PATCHBAY_TEST_WORKERD'];

let server: ScriptedServer;
let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'patchbay-client-platforms-'));
  server = await startServer();
});
afterAll(async () => {
  await server.stop();
  await rm(folder, { recursive: true, force: true, maxRetries: 3 });
});

const answers: Readonly<Record<string, Answer>> = {
  '/call/echo': (response, request) => output((request.body as { input: object }).input)(response, request),
  '/call/plan': events([
    ['delta', { output: { title: 'A p' } }],
    ['done', { output: { title: 'A plan' } }],
  ]),
  '/call/refuse': json({ code: 'input_invalid' }, 422),
  '/call/wait': () => {},
};
let page = '';
let told: (result: unknown) => void = () => {};
beforeEach(() => {
  server.script((response, request) => {
    const answer = answers[request.path];
    if (answer) answer(response, request);
    else if (request.path === '/result') {
      response.end();
      told(request.body);
    } else response.writeHead(200, { 'content-type': 'text/html' }).end(page);
  });
});

function expectAll(result: PlatformRun): void {
  expect(result.probes.filter(({ fault }) => fault !== undefined)).toEqual([]);
  expect(result.probes.length).toBe(Object.keys(probes).length);
  expect(result.probes.length).toBeGreaterThanOrEqual(28);
  expect(result).toMatchObject({
    called: [{ text: 'é' }, 'request_1'],
    failed: ['APIError', 422, 'input_invalid'],
    aborted: 'AbortError',
    late: 'TimeoutError',
    verified: ['key.revoked', 'signature_mismatch'],
  });
  expect(result.seen.at(-1)).toEqual({ title: 'A plan' });
}

function resultIn(text: string): PlatformRun {
  const [, found = '{}'] = /RESULT (\{.*\}) END/s.exec(text) ?? [];
  return JSON.parse(found) as PlatformRun;
}

describe('the client', () => {
  it('on Node', async () => {
    const debug = vi.spyOn(console, 'debug').mockImplementation(() => {});
    const result = await runOnPlatform(server.url);
    debug.mockRestore();
    expectAll(result);
  });

  it('on Deno, without the permission to read the environment', async () => {
    const script = join(folder, 'main.ts');
    const source = `import { runOnPlatform } from ${JSON.stringify(pathToFileURL(file).href)};
console.log('RESULT ' + JSON.stringify(await runOnPlatform(${JSON.stringify(server.url)})) + ' END');`;
    await writeFile(script, source);
    const flags = ['--no-check', '--no-config', '--no-lock', '--no-prompt', '--no-remote', '--no-npm'];
    const args = ['run', ...flags, '--allow-net=127.0.0.1', script];
    const { stdout } = await run(findDeno(), args, { env: { DENO_DIR: folder, NO_COLOR: '1' } });
    expectAll(resultIn(stdout));
  });

  it.skipIf(bun === undefined)('on Bun', async () => {
    const source = `import { runOnPlatform } from ${JSON.stringify(file)};
console.log('RESULT ' + JSON.stringify(await runOnPlatform(${JSON.stringify(server.url)})) + ' END');`;
    const script = join(folder, 'bun.ts');
    await writeFile(script, source);
    const { stdout } = await run(bun as string, [script], { env: {} });
    expectAll(resultIn(stdout));
  });

  it.skipIf(workerd === undefined)('in a Worker', async () => {
    const module = join(folder, 'worker.ts');
    const source = `import { runOnPlatform } from ${JSON.stringify(file)};
export default { fetch: async () => Response.json(await runOnPlatform(${JSON.stringify(server.url)})) };`;
    await writeFile(module, source);
    expectAll(JSON.parse(await runInWorkerd(workerd as string, module, folder)) as PlatformRun);
  });

  it.skipIf(chromium === undefined)('in Chromium', async () => {
    const bundle = await rolldown({ input: file });
    const { output: files } = await bundle.generate({ format: 'iife', name: 'client', codeSplitting: false });
    const tell = `client.runOnPlatform(location.origin).then((result) =>
      fetch('/result', { method: 'POST', body: JSON.stringify(result) }));`;
    page = `<!doctype html><meta charset="utf-8"><script>${files[0].code}\n${tell}</script>`;
    const result = new Promise<PlatformRun>((resolve) => {
      told = (body) => resolve(body as PlatformRun);
    });
    const flags = ['--headless', '--no-sandbox', '--disable-gpu', '--disable-dev-shm-usage', '--no-proxy-server'];
    const quiet = ['--disable-background-networking', '--disable-component-update', '--no-first-run'];
    const args = [...flags, ...quiet, `--user-data-dir=${join(folder, 'profile')}`, server.url];
    const browser = spawn(chromium as string, args, { stdio: 'ignore' });
    const exited = once(browser, 'exit');
    try {
      const ended = exited.then(() => expect.fail('Chromium ended'));
      expectAll(await Promise.race([result, ended]));
    } finally {
      browser.kill();
      await exited;
    }
  });
});

function findDeno(): string {
  const fromDeno = createRequire(createRequire(import.meta.url).resolve('deno/package.json'));
  const platform = process.platform === 'linux' ? `linux-${process.arch}-glibc` : `${process.platform}-${process.arch}`;
  const binary = process.platform === 'win32' ? 'deno.exe' : 'deno';
  return join(dirname(fromDeno.resolve(`@deno/${platform}/package.json`)), binary);
}
