import assert from 'node:assert/strict';
import type { Worker } from 'node:worker_threads';
import type { Runner } from '../runner.ts';

/** A thread that a test leaves behind fails it, and is ended: it would keep the process of the tests alive for ever. */
export function watchThreads(runner: Runner): Runner {
  return {
    describe: (name, body) => runner.describe(name, body),
    it: (name, body) =>
      runner.it(name, async () => {
        const threads: Worker[] = [];
        const onWorker = (thread: Worker) => void threads.push(thread);
        process.on('worker', onWorker);
        try {
          await body();
        } finally {
          process.off('worker', onWorker);
        }
        // A thread that has ended has this id.
        const left = threads.filter(({ threadId }) => threadId !== -1);
        await Promise.all(left.map(async (thread) => await thread.terminate()));
        assert.equal(left.length, 0, 'threads of runs are left: terminate each before its outcome is given');
      }),
  };
}
