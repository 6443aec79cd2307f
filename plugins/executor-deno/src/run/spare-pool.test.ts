import { once } from 'node:events';
import { mkdtemp, rmdir } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Logger } from '@patchbay/core/plugin';
import { afterAll, afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { bootstrapModules, findDeno } from '../explore-machine.ts';
import { noJail, silent } from '../fixtures/executor-options.ts';
import { startProcess } from '../fixtures/start-process.ts';
import { createLauncher, type Launcher, LaunchHelper, openProcessSocket } from '../launch/launch-helper.ts';
import { LogCollector } from './output-streams.ts';
import type { Sandbox } from './sandbox.ts';
import { SparePool, type SparePoolOptions } from './sandbox-source.ts';

const helper = new LaunchHelper();
const deno: Launcher = {
  ...createLauncher({
    helper,
    folder: '',
    deno: findDeno(),
    bootstrap: bootstrapModules,
    memoryMb: 64,
    jail: noJail,
    prefix: [],
  }),
  // Where the test at hand looks for what is left.
  openSocket: () => openProcessSocket(tmpdir()),
};
const hostileChild = fileURLToPath(new URL('../fixtures/hostile-child.ts', import.meta.url));
const hostile = (what: string): Launcher => ({
  openSocket: () => openProcessSocket(tmpdir()),
  launch: async ({ socketPath }) =>
    startProcess({ file: process.execPath, arguments: ['--no-warnings', hostileChild, what, socketPath] }),
});
const { signal } = new AbortController();

describe('SparePool', () => {
  let folder = '';
  const pools: SparePool[] = [];
  const taken: Sandbox[] = [];
  const create = (options: Partial<SparePoolOptions> = {}): SparePool => {
    const pool = new SparePool({ launcher: deno, logger: silent, spares: 2, maxAgeMs: 60_000, ...options });
    pools.push(pool);
    return pool;
  };
  const take = async (pool: SparePool, isModest = true): Promise<Sandbox> => {
    const sandbox = await pool.take(isModest, signal);
    taken.push(sandbox);
    return sandbox;
  };
  const ready = (pool: SparePool, count: number): Promise<void> => expect.poll(() => pool.ready).toBe(count);

  beforeEach(async () => {
    folder = await mkdtemp(path.join(tmpdir(), 'spare-pool-'));
    vi.stubEnv('TMPDIR', folder);
  });
  afterEach(async () => {
    for (const sandbox of taken) sandbox.kill();
    await Promise.all([...pools.splice(0).map((pool) => pool.stop()), ...taken.splice(0).map(({ gone }) => gone)]);
    // Neither a socket nor a folder outlives its process.
    await rmdir(folder);
    vi.unstubAllEnvs();
  });

  afterAll(() => helper.stop());

  it('no processes wait before runs are expected', async () => {
    const pool = create();
    await new Promise((resolve) => setImmediate(resolve));
    expect(pool.processIds).toEqual([]);
    pool.fill();
    await ready(pool, 2);
  });

  it('each spare is given once, and replaced', async () => {
    const pool = create();
    pool.fill();
    const pids = new Set<number | undefined>();
    for (let n = 0; n < 4; n++) {
      await ready(pool, 2);
      const sandbox = await take(pool);
      expect(sandbox.conversation.isReady).toBe(true);
      pids.add(sandbox.process.pid);
    }
    expect(pids.size).toBe(4);
    for (const pid of pool.processIds) expect(pids).not.toContain(pid);
  });

  it('a run that comes to an empty pool gets a new process', async () => {
    const pool = create();
    pool.fill();
    await ready(pool, 2);
    const sandboxes = await Promise.all(Array.from({ length: 6 }, () => take(pool)));
    expect(new Set(sandboxes.map(({ process }) => process.pid)).size).toBe(6);
    await Promise.all(sandboxes.map(({ started }) => started));
    expect(sandboxes.every(({ conversation }) => conversation.isReady)).toBe(true);
    await ready(pool, 2);
  });

  it('half of the spares are kept from a tenant with several runs, which gets the next one left over', async () => {
    const pool = create({ spares: 4, patienceMs: 10_000 });
    pool.fill();
    await ready(pool, 4);
    const kept = pool.processIds.slice(2);
    const first = await Promise.all([take(pool, false), take(pool, false)]);
    expect(first.every(({ conversation }) => conversation.isReady)).toBe(true);
    const waiting = take(pool, false);
    const modest = await take(pool);
    expect(kept).toContain(modest.process.pid);
    expect(modest.conversation.isReady).toBe(true);
    const late = await waiting;
    expect(pool.ready).toBeGreaterThanOrEqual(2);
    expect(late.conversation.isReady).toBe(true);
  });

  it('runs do not wait where no spares are kept, or for too long', async () => {
    const [none, slow] = [create({ spares: 0 }), create({ launcher: hostile('silence'), patienceMs: 1 })];
    await (await take(none, false)).started;
    slow.fill();
    const sandbox = await take(slow, false);
    expect(sandbox.conversation.isReady).toBe(false);
    const controller = new AbortController();
    const waiting = slow.take(false, controller.signal);
    controller.abort(new Error('left'));
    await expect(waiting).rejects.toThrow('left');
  });

  it('a pool without spares starts a process for each run', async () => {
    const pool = create({ spares: 0 });
    pool.fill();
    const sandbox = await take(pool);
    await sandbox.started;
    expect(sandbox.conversation.isReady).toBe(true);
    expect(pool.processIds).toEqual([]);
  });

  it('replaces a spare that dies while it waits', async () => {
    const warnings: unknown[] = [];
    const logger: Logger = { ...silent, warn: (_, fields) => warnings.push(fields) };
    const pool = create({ spares: 1, logger });
    pool.fill();
    await ready(pool, 1);
    const [pid = 0] = pool.processIds;
    process.kill(pid, 'SIGKILL');
    await expect.poll(() => pool.processIds).not.toContain(pid);
    await ready(pool, 1);
    expect(warnings).toMatchObject([{ signal: 'SIGKILL' }]);
  });

  it('a spare that talks without being asked is ended', async () => {
    const warnings: unknown[] = [];
    const logger: Logger = { ...silent, warn: (_, fields) => warnings.push(fields) };
    const pool = create({ spares: 1, logger, launcher: hostile('ready twice') });
    pool.fill();
    await expect.poll(() => warnings.length).toBeGreaterThan(0);
    expect(warnings[0]).toMatchObject({ signal: 'SIGKILL' });
  });

  it('pauses longer and longer when processes cannot be started', async () => {
    const warnings: unknown[] = [];
    const logger: Logger = { ...silent, warn: (_, fields) => warnings.push(fields) };
    const launcher: Launcher = {
      openSocket: () => openProcessSocket(tmpdir()),
      launch: async () => startProcess({ file: '/nowhere/deno', arguments: [] }),
    };
    const pool = create({ logger, launcher });
    pool.fill();
    await expect.poll(() => warnings.length).toBeGreaterThan(2);
    expect(warnings.slice(0, 3)).toMatchObject([{ pauseMs: 0 }, { pauseMs: 100 }, { pauseMs: 200 }]);
  });

  it('replaces what grew old while functions run, and keeps nothing when none did', async () => {
    const pool = create({ spares: 1, maxAgeMs: 300 });
    await take(pool);
    await ready(pool, 1);
    const [first] = pool.processIds;
    await take(pool);
    await expect.poll(() => pool.processIds[0] ?? first).not.toBe(first);
    await expect.poll(() => pool.processIds).toEqual([]);
    await take(pool);
    await ready(pool, 1);
  });

  it('stopping ends all processes, also those with a run', async () => {
    const [early, late] = [create(), create({ spares: 8 })];
    early.fill();
    await early.stop();
    late.fill();
    await expect.poll(() => late.processIds.length).toBeGreaterThan(0);
    await late.stop();
    for (const pool of [early, late]) {
      expect(pool.processIds).toEqual([]);
      await expect(pool.take(true, AbortSignal.abort(new Error('left')))).rejects.toThrow('left');
    }
  });

  it('a process that has sent its output waits to be killed', async () => {
    const pool = create();
    pool.fill();
    await ready(pool, 2);
    const sandbox = await take(pool);
    const outcome = await new Promise((resolve) =>
      sandbox.conversation.assign({
        job: {
          executionId: 'execution_test',
          functionId: 'function_test',
          functionVersion: 1,
          artifact: '',
          input: '{}',
          limits: { wallMs: 10_000, outputBytes: 1000, logBytes: 1000 },
        },
        artifact: { module: 'export default () => ({ a: 1 })', language: 'js' },
        logs: new LogCollector(1000),
        startedAt: performance.now(),
        onOutcome: resolve,
      }),
    );
    expect(outcome).toMatchObject({ kind: 'output', output: '{"a":1}' });
    // Another one starts meanwhile, which takes longer than to exit.
    await ready(pool, 2);
    expect(isAlive(sandbox.process.pid ?? 0)).toBe(true);
  });

  it('spares end with a host that was killed', async () => {
    const host = fileURLToPath(new URL('../fixtures/spares-host.ts', import.meta.url));
    const child = startProcess({ file: process.execPath, arguments: ['--conditions=source', '--no-warnings', host] });
    const [chunk] = await once(child.stdout, 'data');
    const pids = String(chunk).trim().split(',').map(Number);
    expect(pids).toHaveLength(2);
    for (const pid of pids) expect(isAlive(pid)).toBe(true);
    // Not the group: the spares are in their own groups, and see their connection end.
    process.kill(child.pid ?? 0, 'SIGKILL');
    for (const pid of pids) await expect.poll(() => isAlive(pid)).toBe(false);
  });
});

function isAlive(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch {
    return false;
  }
}
