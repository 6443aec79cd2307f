import { missingPostgres } from '@patchbay/postgres-for-tests';
import { queueConformance } from '@patchbay/testing';
import { afterAll, describe, it } from 'vitest';
import plugin from './index.ts';
import { queuesForTests } from './test-support/queue-under-test.ts';

const missing = missingPostgres();
const queues = queuesForTests();
afterAll(() => queues.stop());

describe.skipIf(missing !== undefined)(`pg-boss${missing === undefined ? '' : ` (${missing})`}`, () => {
  queueConformance(
    { describe, it },
    { create: () => queues.create(), capabilities: plugin.definition.capabilities ?? [] },
  );
});
