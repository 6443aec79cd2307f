import assert from 'node:assert/strict';
import { type ExecutorSuite, failureOf, outputOf } from './executor-under-test.ts';

/** Runs beside each other. */
export function concurrencySuite({ runner, it }: ExecutorSuite): void {
  runner.describe('concurrency', () => {
    it('twenty at once do not mix', async (subject) => {
      const artifact = await subject.prepare(`
        let calls = 0;
        async function run({ n }, { executionId }) {
          console.log('first', n);
          await new Promise((resolve) => setTimeout(resolve, (n * 7) % 20));
          console.log('second', n);
          if (n % 5 === 4) throw new Error('failed ' + n);
          return { n, executionId, calls: ++calls, filler: String(n).repeat(5000) };
        }`);
      const runs = Array.from({ length: 20 }, async (_, n) => {
        const outcome = await subject.execute(artifact, { input: { n }, executionId: `execution_${n}` });
        assert.deepEqual(
          outcome.logs.map(({ message }) => message),
          [`first ${n}`, `second ${n}`],
        );
        if (n % 5 === 4) assert.equal(failureOf(outcome, 'function_threw').message, `failed ${n}`);
        else {
          const filler = String(n).repeat(5000);
          assert.deepEqual(outputOf(outcome), { n, executionId: `execution_${n}`, calls: 1, filler });
        }
      });
      await Promise.all(runs);
    });

    it('saves beside each other do not mix', async (subject) => {
      const codes = Array.from({ length: 20 }, (_, n) => (n % 2 === 0 ? `() => ({ n: ${n} })` : `() => ({ n: ${n} `));
      const results = await Promise.allSettled(codes.map((code) => subject.prepare(code)));
      for (const [n, result] of results.entries()) assert.equal(result.status === 'fulfilled', n % 2 === 0);
    });

    it('a run that hangs does not stop the others', async (subject) => {
      const hanging = subject.run('() => { for (;;) {} }', { limits: { wallMs: 3000 } });
      for (let n = 0; n < 5; n++) assert.deepEqual(await subject.output(`() => ({ n: ${n} })`), { n });
      failureOf(await hanging, 'wall_limit', 'cpu_limit');
    });
  });
}
