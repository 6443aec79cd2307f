import type { Runner } from '../runner.ts';
import { callsSuite } from './calls-suite.ts';
import { cancelSuite } from './cancel-suite.ts';
import { concurrencySuite } from './concurrency-suite.ts';
import { dataSuite } from './data-suite.ts';
import { endingsSuite } from './endings-suite.ts';
import {
  type ExecutorConformanceOptions,
  type ExecutorSuite,
  type ExecutorTopic,
  executorTopics,
  Subject,
} from './executor-under-test.ts';
import { formsSuite } from './forms-suite.ts';
import { generatorsSuite } from './generators-suite.ts';
import { isolationSuite, plantSecret } from './isolation-suite.ts';
import { lifecycleSuite } from './lifecycle-suite.ts';
import { logsSuite } from './logs-suite.ts';
import { programsSuite } from './programs-suite.ts';
import { tamperingSuite } from './tampering-suite.ts';
import { throwsSuite } from './throws-suite.ts';
import { typescriptSuite } from './typescript-suite.ts';
import { watchThreads } from './watch-threads.ts';

/**
 * The tests that every executor has to pass, run against yours. The functions in it are hostile; run it where an executor
 * that does not hold them can do no harm.
 *
 * @example
 * ```ts
 * import { describe, it } from 'node:test';
 * import type { Executor } from '@patchbay/core/plugin';
 * import { executorConformance } from '@patchbay/testing';
 *
 * declare function createMyExecutor(): Executor;
 *
 * executorConformance({ describe, it }, {
 *   async create() {
 *     const executor = createMyExecutor();
 *     await executor.start?.(AbortSignal.timeout(10_000));
 *     return { executor, dispose: async () => await executor.stop?.() };
 *   },
 *   capabilities: ['isolation'],
 * });
 * ```
 */
export function executorConformance(given: Runner, options: ExecutorConformanceOptions): void {
  const runner = watchThreads(given);
  const suite: ExecutorSuite = {
    runner,
    options,
    it(name, body) {
      runner.it(name, async () => {
        const removeSecret = plantSecret();
        const created = await options.create();
        try {
          await body(new Subject(created));
        } finally {
          await created.dispose();
          removeSecret();
        }
      });
    },
  };
  runner.describe('executor', () => {
    for (const topic of options.topics ?? executorTopics) suites[topic](suite);
  });
}

const suites: Readonly<Record<ExecutorTopic, (suite: ExecutorSuite) => void>> = {
  forms: formsSuite,
  typescript: typescriptSuite,
  data: dataSuite,
  logs: logsSuite,
  throws: throwsSuite,
  endings: endingsSuite,
  cancelling: cancelSuite,
  calls: callsSuite,
  programs: programsSuite,
  generators: generatorsSuite,
  concurrency: concurrencySuite,
  isolation: isolationSuite,
  tampering: tamperingSuite,
  lifecycle: lifecycleSuite,
};
