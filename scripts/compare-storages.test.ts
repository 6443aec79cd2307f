import { missingPostgres } from '@patchbay/postgres-for-tests';
import { compareStorages } from '@patchbay/testing';
import { describe, expect, it } from 'vitest';
import { openStorages } from './open-storages.ts';

const missing = missingPostgres();

describe.skipIf(missing !== undefined)(
  `memory, SQLite and PostgreSQL${missing === undefined ? '' : ` (${missing})`}`,
  () => {
    it('agree on every answer to the same operations', async () => {
      const opened = await openStorages();
      try {
        const { refusals, rows } = await compareStorages(opened.storages, { seed: 20_261_121, operations: 800 });
        expect(refusals).toBeGreaterThan(100);
        expect(rows).toBeGreaterThan(100);
      } finally {
        await opened.close();
      }
    });
  },
);
