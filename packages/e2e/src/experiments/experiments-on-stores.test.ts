import { missingPostgres, openPostgres, type TestPostgres } from '@patchbay/postgres-for-tests';
import { afterAll, beforeAll, describe, expect } from 'vitest';
import { isFullSize } from '../driver/is-full-size.ts';
import { createMigratedDatabase } from '../driver/migrated-postgres.ts';
import { type Member, startMember } from '../replicas/member.ts';
import { experimentSuite } from './experiment-suite.ts';

const configOf = (storage: string) => `patchbay: 1
storage: ${storage}
providers: { demo: { use: "@patchbay/provider-demo" } }
authenticators: { keys: { use: "@patchbay/auth-api-key" } }
secretFile: ./secret
limits: { off: true }
webhooks: { allow: ["127.0.0.0/8"] }
`;

// In the small size where there is no PostgreSQL: one server has no other to agree with, and `crash.test.ts` kills it.
const missing = missingPostgres();
const reason = missing === undefined ? '' : ` (${missing})`;

describe.runIf(isFullSize || missing !== undefined)('one server on SQLite', { timeout: 120_000 }, () => {
  const members: Member[] = [];
  beforeAll(async () => {
    const config = configOf('{ use: "@patchbay/store-sqlite", with: { file: ./patchbay.db } }');
    members.push(await startMember('replica', { config }));
  });
  afterAll(() => stopAll(members));

  experimentSuite(members);
});

const replicas = isFullSize ? 3 : 2;

describe.skipIf(missing !== undefined)(`${replicas} replicas on PostgreSQL${reason}`, { timeout: 120_000 }, () => {
  const members: Member[] = [];
  let postgres: TestPostgres | undefined;
  beforeAll(async () => {
    postgres = await openPostgres();
    const { url } = await createMigratedDatabase(postgres);
    const config = configOf(`{ use: "@patchbay/store-postgres", with: { url: "\${DATABASE_URL}" } }`);
    const options = { config, env: { DATABASE_URL: url } };
    const starting = Array.from({ length: replicas }, () => startMember('replica', options));
    members.push(...(await Promise.all(starting)));
  });
  afterAll(async () => {
    await stopAll(members);
    await postgres?.stop();
  });

  experimentSuite(members);
});

async function stopAll(members: readonly Member[]): Promise<void> {
  for (const member of members) await member.stop();
  expect(members.flatMap(({ faults }) => faults)).toEqual([]);
}
