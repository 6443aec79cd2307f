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
      const controller = new AbortController();
      const limits = { wallMs: 60_000 };
      const hanging = subject.run('() => { for (;;) {} }', { limits, signal: controller.signal });
      for (let n = 0; n < 5; n++) assert.deepEqual(await subject.output(`() => ({ n: ${n} })`), { n });
      controller.abort();
      failureOf(await hanging, 'cancelled', 'cpu_limit');
    });

    it('the reported load matches running and waiting executions', async (subject) => {
      const { executor } = subject;
      if (executor.load === undefined) return;
      const load = () => executor.load?.();
      // A slot is free once its run has ended completely, which may be a moment after the outcome.
      const untilIdle = async () => {
        while (load()?.running !== 0) await new Promise(setImmediate);
        assert.equal(load()?.waiting, 0);
      };
      await untilIdle();
      const artifact = await subject.prepare("({}, { log }) => { log.info('up'); for (;;) {} }");
      const controller = new AbortController();
      const runs = [1, 2].map(async () => {
        const up = Promise.withResolvers<void>();
        const outcome = subject.execute(artifact, { signal: controller.signal, onLog: () => up.resolve() });
        await Promise.race([up.promise, outcome]);
        return { outcome };
      });
      const outcomes = (await Promise.all(runs)).map(({ outcome }) => outcome);
      assert.deepEqual([load()?.running, load()?.waiting], [2, 0]);
      controller.abort();
      for (const outcome of outcomes) failureOf(await outcome, 'cancelled', 'cpu_limit');
      await subject.output('() => ({})');
      await untilIdle();
    });
  });
}
