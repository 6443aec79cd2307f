import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rmdir } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { startProcess } from '../fixtures/start-process.ts';
import { type Launcher, openProcessSocket } from '../launch/launch-helper.ts';
import { startExecution, watchUsage } from './execution.ts';
import { LogCollector } from './output-streams.ts';
import type { RunOutcome } from './protocol.ts';
import { openSandbox } from './sandbox.ts';

const hostileChild = fileURLToPath(new URL('../fixtures/hostile-child.ts', import.meta.url));

function hostileLauncher(what: string): Launcher {
  return {
    openSocket: () => openProcessSocket(tmpdir()),
    launch: async ({ socketPath }) =>
      startProcess({ file: process.execPath, arguments: ['--no-warnings', hostileChild, what, socketPath] }),
  };
}

async function run(launcher: Launcher, wallMs = 10_000, signal = new AbortController().signal) {
  const job = {
    executionId: 'execution_test',
    functionId: 'function_test',
    functionVersion: 1,
    artifact: '',
    input: '{}',
    limits: { wallMs, outputBytes: 1000, logBytes: 1000 },
  };
  const artifact = { module: 'export default () => ({})', language: 'js' } as const;
  const folder = await mkdtemp(path.join(tmpdir(), 'execution-'));
  vi.stubEnv('TMPDIR', folder);
  const sandbox = await openSandbox(launcher, signal);
  const execution = startExecution({ job, artifact, logs: new LogCollector(1000), signal }, sandbox);
  const ending = await execution.outcome;
  await execution.over;
  // Whatever happened, nothing is left: this removes an empty folder only.
  await rmdir(folder);
  vi.unstubAllEnvs();
  return ending;
}

afterEach(() => {
  vi.unstubAllEnvs();
});

describe('a process that breaks the protocol', () => {
  it.each([
    'result before ready',
    'result before loaded',
    'unknown frame',
    'frame of the host',
    'ready with a payload',
    'ready twice',
    'oversized result',
    'oversized report',
    'output that is no JSON',
    'output that is no object',
    'output with a second document',
    'output in broken UTF-8',
    'report that is no JSON',
    'report of a reason that is the host’s to give',
    'report out of its phase',
    'report of another shape',
    'call before loaded',
    'call without a name',
    'oversized call',
    'end of a call that was never made',
    'end of a call, twice',
    'end of nothing',
    'answer to itself',
  ])('fails on a protocol violation: %s', async (what) => {
    expect(await run(hostileLauncher(what))).toMatchObject({ kind: 'failure', reason: 'protocol_violation' });
  });

  it('a deep answer does not make the host recurse', async () => {
    const ending = await run(hostileLauncher('output that is too deep'));
    expect(ending).toMatchObject({ kind: 'failure', reason: 'output_unserializable' });
  });

  it('only the first answer counts', async () => {
    expect(await run(hostileLauncher('two results'))).toMatchObject({ kind: 'output', output: '{"n":1}' });
  });

  it('an answer may arrive in any pieces', async () => {
    expect(await run(hostileLauncher('result in single bytes'))).toMatchObject({ kind: 'output', output: '{"n":1}' });
  });

  it('a process may exit after its answer, and not within it', async () => {
    expect(await run(hostileLauncher('result and exit'))).toMatchObject({ kind: 'output', output: '{"n":1}' });
    const half = await run(hostileLauncher('half a frame and exit'));
    expect(half).toMatchObject({ kind: 'failure', reason: 'exited_early' });
  });

  it('that never gets ready is not the fault of the function', async () => {
    expect(await run(hostileLauncher('exit at once'))).toMatchObject({ kind: 'unavailable' });
    expect(await run(hostileLauncher('silence'), 300)).toMatchObject({ kind: 'failure', reason: 'wall_limit' });
  });

  it('a report is cut to its limit', async () => {
    const ending = await run(hostileLauncher('report with traps'));
    expect(ending).toMatchObject({ kind: 'failure', reason: 'function_threw' });
    expect(JSON.stringify(ending).length).toBeLessThan(5000);
    expect(JSON.stringify(ending)).not.toMatch(/\\u001b|\\n/u);
  });

  it('that cannot be started leaves nothing', async () => {
    const launch: Launcher['launch'] = async () => startProcess({ file: '/nowhere/deno', arguments: [] });
    expect(await run({ openSocket: () => openProcessSocket(tmpdir()), launch })).toMatchObject({ kind: 'unavailable' });
  });

  it('no process starts for an aborted run', async () => {
    const launch = (): never => {
      throw new Error('was started');
    };
    await expect(
      run({ openSocket: () => openProcessSocket(tmpdir()), launch }, 1000, AbortSignal.abort()),
    ).rejects.toThrow('aborted');
  });

  it.runIf(process.platform === 'linux')(
    'that has left the group of the program around it is killed as well',
    async () => {
      const around = `setsid "$0" "$@" & wait`;
      const launch: Launcher['launch'] = async ({ socketPath }) =>
        startProcess(
          { file: '/bin/sh', arguments: ['-c', around, process.execPath, hostileChild, 'silence', socketPath] },
          { isWrapped: true },
        );
      expect(await run({ openSocket: () => openProcessSocket(tmpdir()), launch }, 300)).toMatchObject({
        kind: 'failure',
        reason: 'wall_limit',
      });
    },
  );
});

const plenty = { residentBytes: 4e9, cpuSeconds: 100 };
const ignore = { onExceeded() {}, onBusy() {}, onLong() {} };

function endingOf(code: string, limits: Partial<typeof plenty>): Promise<RunOutcome> {
  const child = spawn(process.execPath, ['-e', code], { stdio: 'ignore' });
  return new Promise<RunOutcome>((resolve) => {
    const watch = watchUsage(child.pid ?? 0, { ...plenty, ...limits }, { ...ignore, onExceeded: resolve });
    child.once('exit', () => watch.stop());
  }).finally(() => child.kill('SIGKILL'));
}

describe.runIf(process.platform === 'linux')('watchUsage', () => {
  it('memory above the limit is reported', async () => {
    const ending = endingOf('globalThis.kept = Buffer.alloc(3e8, 1); setInterval(() => {}, 1000)', {
      residentBytes: 2e8,
    });
    expect(await ending).toMatchObject({ reason: 'memory_limit' });
  });

  it('CPU above the limit is reported', async () => {
    expect(await endingOf('for (;;) {}', { cpuSeconds: 0.3 })).toMatchObject({ reason: 'cpu_limit' });
  });

  it('a busy process is reported, and later as a long one', async () => {
    const child = spawn(process.execPath, ['-e', 'const end = Date.now() + 60_000; while (Date.now() < end);'], {
      stdio: 'ignore',
    });
    const told: string[] = [];
    const { promise, resolve } = Promise.withResolvers<void>();
    const onLong = (): void => resolve(void told.push('long'));
    const watch = watchUsage(child.pid ?? 0, plenty, { ...ignore, onBusy: () => told.push('busy'), onLong });
    await promise;
    expect([told[0], told.at(-1)]).toEqual(['busy', 'long']);
    watch.stop();
    child.kill('SIGKILL');
    await once(child, 'exit');
  });

  it('a process that slept cannot have reached the CPU limit', async () => {
    const child = spawn('sleep', ['100']);
    const watch = watchUsage(child.pid ?? 0, plenty, ignore);
    expect(watch.mayHaveUsedCpu()).toBe(false);
    child.kill('SIGKILL');
    await once(child, 'exit');
    expect(watch.mayHaveUsedCpu()).toBe(false);
    watch.stop();
  });
});
