import { execFile, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { readdirSync, readFileSync, readlinkSync } from 'node:fs';
import { chmod, mkdtemp, readdir, rm } from 'node:fs/promises';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import type { Logger } from '@patchbay/core/plugin';
import { testContext } from '@patchbay/testing';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { DenoExecutor, type DenoExecutorOptions } from './deno-executor.ts';
import { childIds } from './fixtures/child-ids.ts';
import { executorOptions, silent } from './fixtures/executor-options.ts';
import { workingJails } from './fixtures/working-jails.ts';
import { type JailPrograms, jailLevels, jailPrograms, NOBODY } from './launch/jail.ts';

const working = await workingJails();
const isRoot = process.getuid?.() === 0;
const isFull = process.env['PATCHBAY_TEST_SIZE'] === 'full';
// A checkout below a home that only its owner may enter: no other user can run the Deno in it.
const look = [process.execPath, '--eval', 'fs.accessSync(process.execPath)'];
const asNobody = spawnSync('setpriv', ['--reuid=65534', '--regid=65534', '--clear-groups', ...look]);
const isOpen = asNobody.status === 0;

describe('jail', { timeout: 300_000 }, () => {
  const started: DenoExecutor[] = [];
  const messages: string[] = [];
  const logger: Logger = { ...silent, info: (text) => messages.push(text), warn: (text) => messages.push(text) };
  const start = async (options: Partial<DenoExecutorOptions>, programs: JailPrograms = jailPrograms) => {
    const executor = new DenoExecutor({ ...executorOptions, spares: 0, ...options }, logger, programs);
    started.push(executor);
    await executor.start(AbortSignal.timeout(60_000));
    return executor;
  };
  const run = async (executor: DenoExecutor, code: string) => {
    const { artifact } = await executor.prepare({ input: {}, output: {}, code }, testContext());
    const identity = { executionId: 'execution_test', functionId: 'function_test', functionVersion: 1 };
    const limits = { wallMs: 100_000, outputBytes: 10_000, logBytes: 1000 };
    return await executor.execute({ ...identity, artifact, input: '{}', limits }, testContext());
  };
  /** A spare that is ready: it is in its jail for good. */
  const spareOf = async (executor: DenoExecutor): Promise<number> => {
    expect(await run(executor, '() => ({})')).toMatchObject({ status: 'completed' });
    await expect.poll(async () => (await executor.health()).detail).toMatch(/ 1 spare/u);
    await expect.poll(() => childIds().length).toBe(1);
    return childIds()[0] ?? 0;
  };
  const status = (pid: number, name: string): string =>
    new RegExp(`^${name}:[ \\t]*(.*)$`, 'mu').exec(readFileSync(`/proc/${pid}/status`, 'latin1'))?.[1] ?? '';

  afterEach(async () => {
    await Promise.all(started.splice(0).map((executor) => executor.stop()));
    messages.splice(0);
  });

  // A skipped test is a visible line: what works differs from machine to machine.
  describe.each(['setpriv', 'unshare', 'bwrap'] as const)('%s', (jail) => {
    const works = working.has(jail);
    // Each limit is the only one that its code comes to, however slowly.
    const small = { ...executorOptions, jail, memoryMb: 64, offHeapMb: 64 };
    const ofMemory = new DenoExecutor({ ...small, cpuSeconds: 60, spares: 1 }, silent);
    beforeAll(async () => {
      if (works) await ofMemory.start(AbortSignal.timeout(60_000));
    });
    afterAll(() => ofMemory.stop());

    it.runIf(works)('drops privileges', async () => {
      const pid = await spareOf(ofMemory);
      expect(status(pid, 'NoNewPrivs')).toBe('1');
      for (const set of ['CapInh', 'CapPrm', 'CapEff', 'CapAmb']) expect(status(pid, set)).toMatch(/^0+$/u);
      const uids = status(pid, 'Uid').split('\t').map(Number);
      // Where others may not enter the checkout, it depends on the kernel whether user 65534 can run the Deno in it.
      const possible = isRoot && !isOpen && jail === 'setpriv' ? [NOBODY, 0] : [isRoot ? NOBODY : process.getuid?.()];
      expect(possible).toContain(uids[0]);
      expect(new Set(uids).size).toBe(1);
      expect(isRoot ? status(pid, 'Groups').trim() : '').toBe('');
    });

    it.runIf(works)('isolates namespaces, except with setpriv', async () => {
      const pid = await spareOf(ofMemory);
      const own = (name: string): boolean =>
        readlinkSync(`/proc/${pid}/ns/${name}`) !== readlinkSync(`/proc/self/ns/${name}`);
      for (const name of ['user', 'net', 'ipc', 'uts', 'pid']) expect(own(name), name).toBe(jail !== 'setpriv');
    });

    it.runIf(works && jail === 'bwrap' && isRoot)('hides the files of the machine', async () => {
      const root = `/proc/${await spareOf(ofMemory)}/root`;
      expect(readdirSync(root).filter((name) => !name.startsWith('lib'))).toEqual(['patchbay', 'proc']);
      expect(readdirSync(`${root}/proc`)).toEqual(['self']);
      expect(readlinkSync(`${root}/proc/self/exe`)).toBe('/patchbay/deno');
      expect(readdirSync(`${root}/patchbay`).toSorted()).toEqual(['bootstrap', 'deno', 'socket']);
      expect(readdirSync(`${root}/patchbay/socket`)).toEqual(['s']);
      const again = connect(`${root}/patchbay/socket/s`);
      expect(await once(again, 'error')).toMatchObject([{ code: 'ECONNREFUSED' }]);
    });

    // How much of each, and of every kind, is what `resource-limits.test.ts` is about.
    it.runIf(works)('holds memory', async () => {
      const heap = await run(
        ofMemory,
        '() => { const kept = []; for (;;) kept.push(new Array(1e5).fill(kept.length)); }',
      );
      expect(heap).toMatchObject({ status: 'failed', error: { reason: 'memory_limit' } });
      const off = await run(ofMemory, '() => { const kept = []; for (;;) kept.push(new Uint8Array(1e7).fill(1)); }');
      expect(off).toMatchObject({
        error: { message: expect.stringMatching(/^RangeError: Array buffer|more memory/u) },
      });
      expect(await run(ofMemory, '() => ({})')).toMatchObject({ status: 'completed' });
    });

    it.runIf(works)('limits CPU', async () => {
      const limits = readFileSync(`/proc/${await spareOf(ofMemory)}/limits`, 'latin1');
      expect(limits).toMatch(/^Max cpu time +60 +60 +seconds/mu);
    });

    // How the end is reported differs with what stands around the process: in setpriv nothing does, as in no jail.
    it.runIf(works && (jail !== 'setpriv' || isFull))('reports that CPU was used up', async () => {
      const ofCpu = await start({ ...small, cpuSeconds: 1 });
      const loop = await run(ofCpu, '() => { for (;;) {} }');
      expect(loop).toMatchObject({ status: 'timed_out', error: { reason: 'cpu_limit' } });
    });
  });

  it('the best jail that works is taken and reported', async () => {
    const executor = await start({});
    const best = jailLevels.findLast((level) => working.has(level)) ?? 'none';
    const text = best === 'none' ? 'in no jail' : `in the jail "${best}"`;
    expect((await executor.health()).detail).toContain(text);
    expect(messages[0]).toContain(text);
  });

  it('a server without bubblewrap starts and says how to get it', async () => {
    const executor = await start({}, { ...jailPrograms, bwrap: '/nowhere/bwrap' });
    expect((await executor.health()).detail).not.toContain('bwrap');
    expect(messages.join('\n')).toContain('apt-get install bubblewrap');
    expect(await run(executor, '() => ({})')).toMatchObject({ status: 'completed' });
  });

  it('a start without a jail is logged in capitals, with the way to get one', async () => {
    await start({ jail: 'none' });
    expect(messages.find((text) => text.startsWith('FUNCTIONS RUN WITHOUT A JAIL'))).toMatch(/minJail/u);
  });

  it('a server does not start with less than minJail', async () => {
    const nothing = { bwrap: '/nowhere/bwrap', unshare: '/nowhere/unshare', setpriv: '/nowhere/setpriv' };
    await expect(start({ minJail: 'unshare' }, nothing)).rejects.toThrow(
      /^The jails bwrap, unshare do not work on this machine\. .* install bubblewrap/u,
    );
    await expect(start({ jail: 'bwrap' }, nothing)).rejects.toThrow(/^The jail "bwrap" does not work/u);
    await expect(start({ jail: 'none', minJail: 'setpriv' })).rejects.toThrow(/is below "setpriv"/u);
    expect((await (await start({}, nothing)).health()).detail).toContain('in no jail');
  });

  it.runIf(isRoot && isOpen && working.has('setpriv'))('works for a server that is not root', async () => {
    const temporary = await mkdtemp(path.join(tmpdir(), 'ordinary-user-'));
    await chmod(temporary, 0o777);
    const host = fileURLToPath(new URL('./fixtures/reporting-host.ts', import.meta.url));
    const become = ['--reuid=12345', '--regid=12345', '--clear-groups', '--inh-caps=-all', '--bounding-set=-all'];
    const { stdout } = await promisify(execFile)(
      'setpriv',
      [...become, process.execPath, '--conditions=source', '--no-warnings', host],
      { env: { ...process.env, TMPDIR: temporary } },
    );
    expect(JSON.parse(stdout)).toMatchObject({
      uid: 12_345,
      detail: expect.stringContaining("as the server's user"),
      outcome: { status: 'completed', output: '{"ran":true}' },
    });
    expect(await readdir(temporary)).toEqual([]);
    await rm(temporary, { recursive: true });
  });
});
