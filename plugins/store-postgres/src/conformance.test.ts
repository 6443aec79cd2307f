import { missingPostgres } from '@patchbay/postgres-for-tests';
import { storageConformance } from '@patchbay/testing';
import { afterAll, describe, it } from 'vitest';
import plugin from './index.ts';
import { temporaryStorages } from './test-support/temporary-storage.ts';

const missing = missingPostgres();
const storages = temporaryStorages();
afterAll(() => storages.stop());

describe.skipIf(missing !== undefined)(`on PostgreSQL${missing === undefined ? '' : ` (${missing})`}`, () => {
  storageConformance(
    { describe, it },
    // 1,000 commits at once wait for five connections; on a machine with other work that takes a while.
    {
      create: () => storages.create({ connectTimeoutMs: 60_000 }),
      capabilities: plugin.definition.capabilities ?? [],
      capabilityWrites: {
        'postgres-statement': {
          changing: { sql: 'SELECT $1::text', parameters: ['it’s'] },
          idle: { sql: 'SELECT 1 WHERE $1::int > $2::int', parameters: [1, 2] },
          failing: { sql: 'SELECT 1 / $1::int', parameters: [0] },
        },
      },
    },
  );
});
