import assert from 'node:assert/strict';
import { type ExecutorSuite, failureOf, type Subject } from './executor-under-test.ts';

const loops: Readonly<Record<string, string>> = {
  'while it waits': '() => new Promise(() => { setInterval(() => {}, 1000); })',
  'while it computes': '() => { for (;;) {} }',
  'while it is loaded': 'for (;;) {}\nfunction run() {}',
  'while it logs': 'async () => { for (;;) { console.log("x"); await null; } }',
};

/** A run that is no longer awaited. */
export function cancelSuite({ runner, it }: ExecutorSuite): void {
  runner.describe('cancelling', () => {
    it('before the start: nothing is started', async (subject) => {
      const artifact = await subject.prepare('() => { for (;;) {} }');
      const before = subject.busyProcesses();
      // An executor that ignores the signal computes for as long as it may.
      const outcome = subject.execute(artifact, { signal: AbortSignal.abort(), limits: { wallMs: 1_000 } });
      failureOf(await outcome, 'cancelled');
      assert.deepEqual(startedSince(before, subject), []);
    });

    for (const [phase, code] of Object.entries(loops)) {
      it(`${phase}: the run is gone when the outcome is there`, async (subject) => {
        const artifact = await subject.prepare(code);
        const before = subject.busyProcesses();
        // From before anything is started to well into the run.
        for (const delay of [0, 1, 5, 15, 40, 120]) {
          const signal = AbortSignal.timeout(delay);
          const outcome = await subject.execute(artifact, { signal, limits: { wallMs: 20_000 } });
          failureOf(outcome, 'cancelled');
          assert.deepEqual(startedSince(before, subject), [], `after ${delay} ms`);
        }
      });
    }

    it('after the end: the outcome stands', async (subject) => {
      const controller = new AbortController();
      const outcome = await subject.run('() => ({ ok: true })', { signal: controller.signal });
      controller.abort();
      assert.equal(outcome.status, 'completed');
      assert.deepEqual(await subject.output('() => ({ next: true })'), { next: true });
    });

    it('in the queue: the others go on', async (subject) => {
      const artifact = await subject.prepare(
        '() => new Promise((resolve) => setTimeout(() => resolve({ ok: true }), 50))',
      );
      const controller = new AbortController();
      const others = Array.from({ length: 8 }, () => subject.execute(artifact));
      const cancelled = Array.from({ length: 4 }, () => subject.execute(artifact, { signal: controller.signal }));
      controller.abort();
      for (const outcome of await Promise.all(cancelled)) failureOf(outcome, 'cancelled');
      for (const outcome of await Promise.all(others)) assert.equal(outcome.status, 'completed');
    });
  });
}

/** Processes that are busy and were not before; those of earlier runs may still be ending. */
function startedSince(before: readonly number[], subject: Subject): readonly number[] {
  return subject.busyProcesses().filter((pid) => !before.includes(pid));
}
