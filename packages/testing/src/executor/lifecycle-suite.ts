import assert from 'node:assert/strict';
import { chmod, mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { PatchbayError } from '@patchbay/core/plugin';
import { type ExecutorSuite, Subject } from './executor-under-test.ts';
import { childProcesses } from './leftovers.ts';

/** An executor before, between and after its runs. */
export function lifecycleSuite({ runner, options }: ExecutorSuite): void {
  runner.describe('lifecycle', () => {
    runner.it('leaves nothing behind', async () => {
      const before = childProcesses();
      const folder = await mkdtemp(path.join(tmpdir(), 'conformance-'));
      // Like the system's own: an executor may run its processes as another user.
      await chmod(folder, 0o711);
      const temporary = process.env['TMPDIR'];
      process.env['TMPDIR'] = folder;
      try {
        const created = await options.create();
        const subject = new Subject(created);
        for (const code of [
          '() => ({})',
          '() => { throw 1; }',
          '() => new Promise(() => {})',
          'throw 1; function run() {}',
          '() => { setInterval(() => {}, 10); return {}; }',
        ]) {
          await subject.run(code);
        }
        await subject.run('() => { for (;;) {} }', { limits: { wallMs: 250 } });
        await subject.run('() => { for (;;) {} }', { signal: AbortSignal.timeout(100) });
        await created.dispose();
        assert.deepEqual(childProcesses(), before);
        assert.deepEqual(await readdir(folder), []);
      } finally {
        if (temporary === undefined) delete process.env['TMPDIR'];
        else process.env['TMPDIR'] = temporary;
        await rm(folder, { recursive: true, force: true });
      }
    });

    runner.it('is healthy once started, stops while functions run, and takes no more', async () => {
      const before = childProcesses();
      const created = await options.create();
      const subject = new Subject(created);
      const health = await subject.executor.health?.();
      assert.notEqual(health?.status ?? 'pass', 'fail');
      const artifact = await subject.prepare('() => { for (;;) {} }');
      const running = [subject.execute(artifact), subject.execute(artifact)];
      const settled = Promise.allSettled(running);
      await created.dispose();
      for (const result of await settled) {
        if (result.status === 'fulfilled') assert.notEqual(result.value.status, 'completed');
        else assert.ok(isRefusal(result.reason));
      }
      await assert.rejects(subject.execute(artifact), isRefusal);
      assert.deepEqual(childProcesses(), before);
    });
  });
}

function isRefusal(error: unknown): boolean {
  if (!PatchbayError.is(error)) return false;
  return (error.code === 'shutting_down' || error.code === 'executor_unavailable') && error.retryAfter !== undefined;
}
