import { canStartPostgres, openPostgres } from '@patchbay/postgres-for-tests';
import { describe, expect, it } from 'vitest';
import { isFullSize } from '../driver/is-full-size.ts';
import { createMigratedDatabase } from '../driver/migrated-postgres.ts';
import { type Played, playSchedules } from './play-schedules.ts';

// Servers are killed while they make executions, and their clocks are set ahead and back. In the small size on PostgreSQL where
// it runs, with two servers: what one server on SQLite makes of its schedules when it is killed, `crash.test.ts` has as well.

const size = isFullSize ? { schedules: 50, times: 1_000 } : { schedules: 3, times: 40 };
const servers = isFullSize ? 3 : 2;
const timeout = isFullSize ? 3_600_000 : 180_000;

/** One execution for each time, in every schedule, and none beside them. */
function expectEach(played: readonly Played[]): void {
  expect(played).toHaveLength(size.schedules);
  for (const { overlap, expected, made } of played) {
    expect(made.map(({ scheduledFor }) => scheduledFor).toSorted()).toEqual(expected);
    const wrong = made.filter(
      ({ status }) => status !== 'completed' && !(overlap === 'skip' && status === 'cancelled'),
    );
    expect(wrong).toEqual([]);
  }
}

describe('schedules on servers that are killed, and whose clocks are set', { timeout }, () => {
  it.runIf(isFullSize || !canStartPostgres())('make one execution for each time on SQLite', async () => {
    const storage = '{ use: "@patchbay/store-sqlite", with: { file: ./data.db } }';
    expectEach(await playSchedules({ ...size, servers: 1, storage }));
  });

  it.skipIf(!canStartPostgres())(`make one execution for each time with ${servers} servers on PostgreSQL`, async () => {
    const postgres = await openPostgres();
    try {
      const database = await createMigratedDatabase(postgres);
      const storage = `{ use: "@patchbay/store-postgres", with: { url: "\${DATABASE_URL}" } }`;
      expectEach(await playSchedules({ ...size, servers, storage, env: { DATABASE_URL: database.url } }));
    } finally {
      await postgres.stop();
    }
  });
});
