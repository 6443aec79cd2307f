import { execFile } from 'node:child_process';
import { chmod, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import type { Logger } from '@patchbay/core/plugin';
import { testContext } from '@patchbay/testing';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { DenoExecutor, type DenoExecutorOptions } from './deno-executor.ts';
import { findDeno } from './explore-machine.ts';
import { environmentNames } from './fixtures/environment-names.ts';
import { executorOptions, silent } from './fixtures/executor-options.ts';
import { encodeArtifact } from './run/protocol.ts';

const schemas = { input: { type: 'object' }, output: { type: 'object' } } as const;

const job = (artifact: string, wallMs = 10_000) => ({
  executionId: 'execution_test',
  functionId: 'function_test',
  functionVersion: 1,
  artifact,
  input: '{}',
  limits: { wallMs, outputBytes: 100_000, logBytes: 1000 },
});

const NEWER = `[ "$1" = --version ] && echo deno 3.0.0 || exec '${findDeno()}' "$@"`;

describe('DenoExecutor', () => {
  let folder = '';
  const started: DenoExecutor[] = [];
  /** For tests without special options. */
  const shared = new DenoExecutor({ ...executorOptions, spares: 1 }, silent);

  async function start(overrides: Partial<DenoExecutorOptions> = {}): Promise<DenoExecutor> {
    const executor = new DenoExecutor({ ...executorOptions, spares: 0, ...overrides }, silent);
    started.push(executor);
    await executor.start(AbortSignal.timeout(60_000));
    return executor;
  }

  async function program(text: string): Promise<string> {
    const file = path.join(folder, 'deno');
    await writeFile(file, `#!/bin/sh\n${text}\n`);
    await chmod(file, 0o755);
    return file;
  }

  beforeAll(() => shared.start(AbortSignal.timeout(60_000)));
  afterAll(() => shared.stop());
  beforeEach(async () => {
    folder = await mkdtemp(path.join(tmpdir(), 'deno-executor-'));
  });
  afterEach(async () => {
    await Promise.all(started.splice(0).map((executor) => executor.stop()));
    await rm(folder, { recursive: true });
  });

  it('health reports the version of Deno', async () => {
    const executor = new DenoExecutor(executorOptions, silent);
    expect(await executor.health()).toMatchObject({ status: 'fail' });
    expect(await shared.health()).toMatchObject({
      status: 'pass',
      detail: expect.stringMatching(/^Deno 2\./u),
    });
  });

  it('an executor does not start without a supported Deno', async () => {
    const old = await program('echo deno 2.8.9');
    await expect(start({ denoPath: old })).rejects.toThrow(/2\.9 or newer is needed/u);
    const failing = await program('echo deno 2.9.6; exit 1');
    await expect(start({ denoPath: failing })).rejects.toThrow(/does not run/u);
    await expect(start({ denoPath: await program('echo something else') })).rejects.toThrow(/does not run/u);
    await chmod(old, 0o644);
    await expect(start({ denoPath: old })).rejects.toThrow(/does not run/u);
    await expect(start({ denoPath: path.join(folder, 'missing') })).rejects.toThrow(/does not run/u);
    await expect(start({ denoPath: await program(NEWER) })).resolves.toBeInstanceOf(DenoExecutor);
    const halfway = await program('[ "$1" = --version ] && echo deno 2.9.6');
    await expect(start({ denoPath: halfway })).rejects.toThrow(/ends before it can take a function/u);
  });

  it('health reports an executor that is not started', async () => {
    const denoPath = await program(NEWER);
    const executor = await start({ denoPath, isolation: 'cold' });
    const { artifact } = await executor.prepare({ ...schemas, code: '() => ({})' }, testContext());
    const refusal = { code: 'executor_unavailable', retryAfter: 1 };
    await expect(executor.execute(job(artifact), testContext())).resolves.toMatchObject({ status: 'completed' });
    await program('exit 1');
    await expect(executor.execute(job(artifact), testContext())).rejects.toMatchObject(refusal);
    await rm(denoPath);
    await expect(executor.execute(job(artifact), testContext())).rejects.toMatchObject(refusal);
  });

  it('a run that waits too long is refused', async () => {
    const executor = await start({ maxConcurrent: 1, queueTimeoutMs: 50 });
    const { artifact } = await executor.prepare({ ...schemas, code: '() => { for (;;) {} }' }, testContext());
    const running = executor.execute(job(artifact, 1500), testContext());
    await expect(executor.execute(job(artifact), testContext())).rejects.toMatchObject({
      code: 'overloaded',
      retryAfter: 1,
    });
    expect(await running).toMatchObject({ status: 'timed_out' });
  });

  it('type errors are logged or ignored where the config says so', async () => {
    const code = 'export default (): object => { const n: number = "x"; return { n }; };';
    const warnings: object[] = [];
    const logger: Logger = { ...silent, warn: (_, fields = {}) => warnings.push(fields) };
    const warning = await start({ typeCheck: 'warn' });
    await warning.prepare({ ...schemas, code }, testContext({ logger }));
    expect(warnings).toMatchObject([{ errors: [{ code: 'ts2322', line: 1, column: 38 }] }]);
    const ignoring = await start({ typeCheck: 'off' });
    await ignoring.prepare({ ...schemas, code }, testContext({ logger }));
    expect(warnings).toHaveLength(1);
  });

  it('a function has the names that its types declare, and no others', async () => {
    const code = `() => ({ names: Object.getOwnPropertyNames(globalThis).filter((name) => globalThis[name] !== undefined) })`;
    const { artifact } = await shared.prepare({ ...schemas, code }, testContext());
    const outcome = await shared.execute(job(artifact), testContext());
    const { names } = JSON.parse(outcome.status === 'completed' ? outcome.output : '{}') as { names: string[] };
    expect(environmentNames().filter((name) => !names.includes(name))).toEqual([]);
    for (const name of [
      'Deno',
      'process',
      'Buffer',
      'fetch',
      'WebSocket',
      'Worker',
      'localStorage',
      'caches',
      'navigator',
    ]) {
      expect(names).not.toContain(name);
    }
  });

  it('the names of the web work', async () => {
    const code = `export default async (input: Input) => {
      const bytes = new TextEncoder().encode('é');
      const zipped = new Blob([bytes]).stream().pipeThrough(new CompressionStream('gzip'));
      const unzipped = await new Response(zipped.pipeThrough(new DecompressionStream('gzip'))).text();
      const digest = new Uint8Array(await crypto.subtle.digest('SHA-256', bytes));
      const signal = AbortSignal.any([AbortSignal.timeout(60_000), AbortSignal.abort('why')]);
      const copy = structuredClone({ when: new Date(0) });
      const target = new EventTarget();
      let detail = 0;
      target.addEventListener('x', (event) => { detail = event.detail; });
      target.dispatchEvent(new CustomEvent('x', { detail: 3 }));
      return {
        unzipped, detail, first: digest[0], reason: signal.reason, when: copy.when.getTime(),
        host: new URL('https://a.example/?q=1').host, match: new URLPattern('/:id', 'http://x').test('http://x/1'),
        uuid: crypto.randomUUID().length, base64: btoa('a'), text: new TextDecoder().decode(bytes),
        time: performance.now() > 0, later: await new Promise<number>((resolve) => setTimeout(resolve, 1, 5)),
      };
    }`;
    const { artifact } = await shared.prepare({ ...schemas, code }, testContext());
    const outcome = await shared.execute(job(artifact), testContext());
    expect(outcome).toMatchObject({ status: 'completed' });
    expect(JSON.parse(outcome.status === 'completed' ? outcome.output : '')).toEqual({
      unzipped: 'é',
      detail: 3,
      first: 74,
      reason: 'why',
      when: 0,
      host: 'a.example',
      match: true,
      uuid: 36,
      base64: 'YQ==',
      text: 'é',
      time: true,
      later: 5,
    });
  });

  it('stops in a host that has nothing else to do', async () => {
    const host = fileURLToPath(new URL('./fixtures/stopping-host.ts', import.meta.url));
    const { stdout } = await promisify(execFile)(process.execPath, ['--conditions=source', '--no-warnings', host]);
    expect(stdout).toBe('stopped');
  });

  it('stopping ends all runs', async () => {
    const executor = await start({ isolation: 'cold', jail: 'none' });
    const module = 'export default (_, { log }) => { log.info("up"); for (;;); }';
    const up = Promise.withResolvers<void>();
    let isOver = false;
    const request = { ...job(encodeArtifact({ module, language: 'js' })), onLog: () => up.resolve() };
    const outcome = executor.execute(request, testContext()).finally(() => {
      isOver = true;
    });
    await up.promise;
    await executor.stop();
    expect(isOver).toBe(true);
    expect(await outcome).toMatchObject({ status: 'cancelled' });
  });

  it.runIf(process.platform === 'linux')('functions end with a host that is killed', async () => {
    const host = fileURLToPath(new URL('./fixtures/dying-host.ts', import.meta.url));
    const { stdout } = await promisify(execFile)(process.execPath, [
      '--conditions=source',
      '--no-warnings',
      host,
    ]).catch((error: { readonly stdout: string }) => error);
    const pid = Number(stdout);
    expect(pid).toBeGreaterThan(0);
    await expect.poll(() => isAlive(pid)).toBe(false);
  });
});

function isAlive(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch {
    return false;
  }
}
