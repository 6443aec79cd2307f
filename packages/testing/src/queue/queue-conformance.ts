import type { Runner } from '../runner.ts';
import { attemptsSuite } from './attempts-suite.ts';
import { commitSuite } from './commit-suite.ts';
import { deadSuite } from './dead-suite.ts';
import { deliverySuite } from './delivery-suite.ts';
import { durableSuite } from './durable-suite.ts';
import { fairnessSuite } from './fairness-suite.ts';
import { leaseSuite } from './lease-suite.ts';
import type { QueueConformanceOptions, QueueSuite } from './queue-under-test.ts';
import { stopSuite } from './stop-suite.ts';

/**
 * The tests that every queue has to pass, run against yours.
 *
 * @example
 * ```ts
 * import { describe, it } from 'node:test';
 * import { type QueueUnderTest, queueConformance } from '@patchbay/testing';
 *
 * declare function createMyQueue(): Promise<QueueUnderTest>;
 *
 * queueConformance({ describe, it }, { create: createMyQueue });
 * ```
 */
export function queueConformance(runner: Runner, options: QueueConformanceOptions): void {
  const suite: QueueSuite = {
    runner,
    options,
    it(name, body) {
      runner.it(name, async () => {
        const subject = await options.create();
        try {
          await body(subject);
        } finally {
          await subject.dispose();
        }
      });
    },
  };
  runner.describe('queue', () => {
    deliverySuite(suite);
    fairnessSuite(suite);
    commitSuite(suite);
    attemptsSuite(suite);
    deadSuite(suite);
    leaseSuite(suite);
    stopSuite(suite);
    durableSuite(suite);
  });
}
