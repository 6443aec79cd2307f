import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { type App, type AppConfig, createApp, createRequestContext } from '@patchbay/core';
import { services, tenantId } from '@patchbay/core/plugin';
import { missingPostgres, openPostgres, type TestPostgres } from '@patchbay/postgres-for-tests';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { createMigratedDatabase } from '../driver/migrated-postgres.ts';
import { startReceiver } from './receiver.ts';

// Not possible with storage in memory: two servers on one database, with real commits.

type Ground = Pick<AppConfig, 'storage' | 'queue'>;

const caller = { id: 'key_1', kind: 'api-key', tenant: tenantId('acme'), scopes: ['*'] } as const;
const pgboss = fileURLToPath(new URL('../../../../plugins/queue-pgboss/src/index.ts', import.meta.url));
const missing = missingPostgres();
const closing: (() => unknown)[] = [];
let postgres: TestPostgres | undefined;

async function onSqlite(): Promise<Ground> {
  const folder = mkdtempSync(join(tmpdir(), 'patchbay-webhooks-'));
  closing.push(() => rmSync(folder, { recursive: true, force: true }));
  return { storage: { use: '@patchbay/store-sqlite', with: { file: join(folder, 'patchbay.db') } } };
}

async function onPostgres(): Promise<Ground> {
  if (postgres === undefined) {
    const started = await openPostgres();
    closing.push(() => started.stop());
    postgres = started;
  }
  const { url } = await createMigratedDatabase(postgres);
  return { storage: { use: '@patchbay/store-postgres', with: { url } } };
}

async function onPgBoss(): Promise<Ground> {
  const ground = await onPostgres();
  return { ...ground, queue: { use: pgboss, with: { ...ground.storage?.with, pollMs: 50 } } };
}

afterAll(async () => {
  for (const close of closing.toReversed()) await close();
});

describe.each([
  ['SQLite', onSqlite, undefined],
  ['PostgreSQL', onPostgres, missing],
  ['PostgreSQL with pg-boss', onPgBoss, missing],
] as const)('webhooks on %s', (_, open, skipped) => {
  const opened: (() => Promise<unknown>)[] = [];
  let ground: Ground;

  beforeAll(async () => {
    if (skipped === undefined) ground = await open();
  });
  afterEach(async () => {
    for (const close of opened.splice(0).toReversed()) await close();
  });

  async function start(): Promise<App> {
    const webhooks = { allow: ['127.0.0.0/8'], maxPerTenant: 3 };
    const app = await createApp(
      { patchbay: 1, secret: 'x'.repeat(32), webhooks, ...ground },
      { bases: [import.meta.url] },
    );
    opened.push(() => app.host.stop(0));
    return app;
  }
  const contextOf = (app: App) => {
    const context = createRequestContext({ app, caller, requestId: 'request_1' });
    opened.push(async () => context.close());
    return context;
  };
  const create = (app: App, context: ReturnType<typeof contextOf>) =>
    app.services.functions.create(
      { name: 'a', description: '', input: { type: 'object' }, output: { type: 'object' }, code: '', settings: {} },
      context,
    );

  it.skipIf(skipped !== undefined)(
    'come once each from two servers, and again from neither until they are asked to',
    async () => {
      const [one, two] = [await start(), await start()];
      const context = contextOf(one);
      const receiver = await startReceiver('receiver');
      opened.push(() => receiver.close());
      const events = ['function.created'] as const;
      const input = { url: receiver.url, events };
      // No more are made than there may be, whichever server is asked.
      const made = await Promise.allSettled(
        [one, two, one, two, one].map((app) => app.services.webhooks.create(input, context)),
      );
      const webhooks = made.filter((result) => result.status === 'fulfilled').map(({ value }) => value);
      expect(webhooks).toHaveLength(3);
      const [kept, ...others] = webhooks;
      for (const { row } of others) await one.services.webhooks.delete(row.id, context);
      const id = kept?.row.id ?? '';
      receiver.secret = kept?.secret ?? '';

      const all = async (count: number) => {
        const taken = new Promise<void>((resolve) => {
          receiver.onTaken = () => receiver.taken.size === count && resolve();
        });
        await Promise.all(Array.from({ length: 40 }, (__, index) => create(index % 2 === 0 ? one : two, context)));
        await taken;
      };
      await all(40);
      expect([...receiver.taken.values()].every((times) => times === 1)).toBe(true);

      // Events during a pause are kept, and only they are sent on request.
      const since = new Date().toISOString();
      await two.services.webhooks.replace(id, { ...input, enabled: false }, context);
      await Promise.all(Array.from({ length: 30 }, () => create(two, context)));
      await one.services.webhooks.replace(id, { ...input, enabled: true }, context);
      const replayed = new Promise<void>((resolve) => {
        receiver.onTaken = () => receiver.taken.size === 70 && resolve();
      });
      await one.services.webhooks.replay(id, since, context);
      await replayed;
      const page = { limit: 100, offset: 0, sort: 'createdAt', order: 'asc' } as const;
      const delivered = async () => (await one.services.webhooks.listDeliveries(id, 'delivered', page, context)).total;
      await expect.poll(delivered).toBe(70);
      expect([...receiver.taken.values()].every((times) => times === 1)).toBe(true);
      expect(receiver.faults).toEqual([]);
      const storage = one.host.resolve(services.storage);
      const run = async () => (await storage.get(caller.tenant, 'webhookLanes', id))?.run;
      await expect.poll(run).toBe(null);
    },
    60_000,
  );
});
