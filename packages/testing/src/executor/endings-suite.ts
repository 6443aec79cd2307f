import assert from 'node:assert/strict';
import { type ExecutorSuite, failureOf } from './executor-under-test.ts';
import { hostilePrelude } from './hostile-prelude.ts';

const limits = { wallMs: 250 };

/** Runs that do not come to an end by themselves, or come to the wrong one. */
export function endingsSuite({ runner, it }: ExecutorSuite): void {
  runner.describe('endings', () => {
    it('whatever runs too long is killed', async (subject) => {
      const codes = [
        '() => { for (;;) {} }',
        'for (;;) {}\nfunction run() {}',
        'async () => { for (;;) await null; }',
        '() => new Promise(() => { setInterval(() => {}, 10); })',
        '() => /^(a+)+$/.test("a".repeat(40) + "b")',
        '() => { try { for (;;) {} } finally { for (;;) {} } }',
        '() => ({ get a() { for (;;) {} } })',
        '() => ({ toJSON() { for (;;) {} } })',
        '() => { throw { get message() { for (;;) {} } }; }',
        '() => Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0)',
        '() => { const spin = () => queueMicrotask(spin); spin(); return new Promise(() => {}); }',
        '() => { let n = 2n; for (;;) n *= n; }',
      ];
      const check = async (code: string): Promise<void> => {
        const outcome = await subject.run(code, { limits });
        // The big number may run out of what V8 allows before its time is over.
        if (code.includes('2n')) failureOf(outcome, 'wall_limit', 'cpu_limit', 'function_threw', 'memory_limit');
        else failureOf(outcome, 'wall_limit', 'cpu_limit');
        assert.ok(outcome.durationMs >= 200, code);
      };
      // Each takes its time: so many at once as every executor has to let run.
      for (let next = 0; next < codes.length; next += 4) await Promise.all(codes.slice(next, next + 4).map(check));
    });

    it('a promise that nothing can settle is found out at once', async (subject) => {
      for (const code of [
        '() => new Promise(() => {})',
        'async () => { await new Promise(() => {}); }',
        '() => ({ then() {} })',
        'await new Promise(() => {});\nexport default () => ({});',
      ]) {
        failureOf(await subject.run(code, { limits: { wallMs: 60_000 } }), 'never_settled');
      }
    });

    it('a function may take its time', async (subject) => {
      const code = 'async () => { await new Promise((resolve) => setTimeout(resolve, 50)); return { ok: true }; }';
      assert.deepEqual(await subject.output(code), { ok: true });
    });

    it('an exit before the end is not the end', async (subject) => {
      for (const exit of [
        'process.exit(0)',
        'process.exit(7)',
        'process.reallyExit(0)',
        'process.abort()',
        'process.kill(process.pid, "SIGKILL")',
        'process.kill(0, "SIGKILL")',
      ]) {
        const outcome = await subject.run(`async () => {
          ${hostilePrelude}
          pretend();
          try { const process = await node('process'); ${exit}; } catch {}
          return { survived: true };
        }`);
        // An executor may make it impossible instead.
        if (outcome.status === 'completed') assert.equal(outcome.output, '{"survived":true}');
        else failureOf(outcome, 'exited_early');
      }
    });

    it('too much memory ends the run and nothing else', async (subject) => {
      const code = '() => { const kept = []; for (;;) kept.push(new Array(100_000).fill(kept.length)); }';
      const [outcome, output] = await Promise.all([subject.run(code), subject.output('() => ({ alive: true })')]);
      failureOf(outcome, 'memory_limit');
      assert.deepEqual(output, { alive: true });
    });

    it('work after the return does not matter', async (subject) => {
      const code = `() => {
        setTimeout(() => { for (;;) {} });
        setInterval(() => { throw new Error('late'); }, 1);
        Promise.resolve().then(() => console.log('later'));
        return { ok: true };
      }`;
      assert.deepEqual(await subject.output(code), { ok: true });
    });

    it('an unknown artifact fails as a function that does not load', async (subject) => {
      if (subject.executor.prepare === undefined) return;
      for (const artifact of ['', '{}', 'null', '{"v":99,"module":"x"}', '() => ({})']) {
        failureOf(await subject.execute(artifact), 'load_failed');
      }
    });
  });
}
