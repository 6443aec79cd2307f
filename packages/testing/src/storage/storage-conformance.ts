import type { Runner } from '../runner.ts';
import { atomicitySuite } from './atomicity-suite.ts';
import { capabilitiesSuite } from './capabilities-suite.ts';
import { concurrencySuite } from './concurrency-suite.ts';
import { durabilitySuite } from './durability-suite.ts';
import { faultsSuite } from './faults-suite.ts';
import { fieldsSuite } from './fields-suite.ts';
import { keysetSuite } from './keyset-suite.ts';
import { listSuite } from './list-suite.ts';
import { modelSuite } from './model-suite.ts';
import { orderSuite } from './order-suite.ts';
import { refusalsSuite } from './refusals-suite.ts';
import { rowsSuite } from './rows-suite.ts';
import { signalsSuite } from './signals-suite.ts';
import type { StorageConformanceOptions, StorageSuite } from './storage-under-test.ts';
import { tenancySuite } from './tenancy-suite.ts';

/**
 * The tests that every storage has to pass, run against yours.
 *
 * @example
 * ```ts
 * import { describe, it } from 'node:test';
 * import type { Storage } from '@patchbay/core/storage';
 * import { storageConformance } from '@patchbay/testing';
 *
 * declare function createMyStorage(): Storage;
 *
 * storageConformance({ describe, it }, {
 *   async create() {
 *     const storage = createMyStorage();
 *     return { storage, dispose: async () => {} };
 *   },
 * });
 * ```
 */
export function storageConformance(runner: Runner, options: StorageConformanceOptions): void {
  const suite: StorageSuite = {
    runner,
    options,
    it(name, body) {
      runner.it(name, async () => {
        const subject = await options.create();
        try {
          await body(subject.storage);
        } finally {
          await subject.dispose();
        }
      });
    },
  };
  runner.describe('storage', () => {
    rowsSuite(suite);
    fieldsSuite(suite);
    refusalsSuite(suite);
    faultsSuite(suite);
    atomicitySuite(suite);
    concurrencySuite(suite);
    listSuite(suite);
    orderSuite(suite);
    keysetSuite(suite);
    tenancySuite(suite);
    capabilitiesSuite(suite);
    signalsSuite(suite);
    modelSuite(suite);
    durabilitySuite(suite);
  });
}
