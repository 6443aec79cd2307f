import { definePlugin } from '@patchbay/contracts/define-plugin';
import { PatchbayError } from '@patchbay/contracts/errors';
import type { Storage, Write } from '@patchbay/contracts/storage';
import Ajv from 'ajv/dist/2020.js';
import addFormats from 'ajv-formats';
import { afterEach, describe, expect, it } from 'vitest';
import { openOperator } from '../app/open-operator.ts';
import { createMemoryStorage } from '../built-in/memory-storage.ts';
import { type EventKindName, eventKinds, messageSchema } from '../events/event-kinds.ts';
import { contextOf, summarize } from '../functions/fixtures/function-parts.ts';
import { answer, chatModel, scriptedProvider } from '../gateway/fixtures/scripted-provider.ts';
import { context, createHookedApp, type HookedApp } from './fixtures/hooked-app.ts';
import { type SignedReceiver, signedReceiver } from './fixtures/signed-receiver.ts';

const ajv = new Ajv.default({ strict: false });
addFormats.default(ajv);
const opened: { close(): Promise<unknown> }[] = [];

afterEach(async () => {
  for (const each of opened.splice(0)) await each.close();
});

async function open(options: Parameters<typeof createHookedApp>[0] = {}) {
  const hooked = await createHookedApp(options);
  const receiver = await signedReceiver();
  opened.push({ close: () => hooked.app.host.stop(0) }, receiver);
  return { hooked, receiver };
}

async function hookAll(hooked: HookedApp, receiver: SignedReceiver, events: readonly (EventKindName | '*')[] = ['*']) {
  const { row, secret } = await hooked.hook(receiver.url, { events });
  receiver.trust(secret);
  return row;
}

const talker = () => {
  const models = [chatModel('one'), chatModel('eye', { capabilities: ['embeddings'], dimensions: 2 })];
  return scriptedProvider(models, {
    chat: ({ tools }) =>
      tools === undefined ? answer('hi') : answer('', { toolCalls: [{ id: '1', name: 'add', arguments: {} }] }),
    embedding: [1, 0],
  });
};

const broken = () =>
  scriptedProvider([chatModel('one')], {
    chat: () => {
      throw new PatchbayError('provider_error', 'no', { upstream: { kind: 'failed' } });
    },
  });

const issuer = definePlugin({
  name: 'test-issuer',
  kind: 'authenticator',
  version: 1,
  config: { properties: {} },
  create: () => ({
    keys: { issue: () => ({ key: 'secret', lookupId: crypto.randomUUID(), secretHash: 'hash' }) },
    authenticate: async () => undefined,
  }),
});

const messages = [{ role: 'user', content: 'hi' }] as const;

/** Do everything that there is an event for, except for what the server does by itself. */
async function doEverything({ app }: HookedApp): Promise<void> {
  const {
    services: { functions, settings, executions, keys, gateway },
  } = app;
  const { id } = await functions.create(summarize, context);
  await functions.replace(id, { ...summarize, description: 'Shorter' }, context);
  await settings.put(id, { temperature: 0.5 }, {}, context);
  await settings.delete(id, context);
  await executions.execute(id, { text: 'a' }, context);
  const thrower = await functions.create({ ...summarize, code: 'function main() { throw 1 }' }, context);
  await executions.execute(thrower.id, { text: 'a' }, context).catch(() => undefined);
  await functions.delete(id, context);
  const { row } = await keys.create({ name: 'CI', scopes: ['functions:read'] }, context);
  await keys.revoke(row.id, context);
  await gateway.generate({ model: 'talker/one', prompt: 'hi' }, context);
  await gateway.chat({ model: 'talker/one', messages }, context);
  for await (const _ of (await gateway.streamChat({ model: 'talker/one', messages }, context)).events);
  await gateway.embed({ model: 'talker/eye', text: 'hi' }, context);
  const add = { name: 'add', description: '', parameters: { type: 'object', properties: {} } } as const;
  await gateway.generateFunctionCall({ model: 'talker/one', messages, functions: [add] }, context);
  await gateway.chat({ model: 'broken/one', messages }, context).catch(() => undefined);
  await gateway.chat({ model: 'broken/one', messages, routing: { fallbacks: ['talker/one'] } }, context);
}

const told: readonly EventKindName[] = [
  'function.created',
  'function.updated',
  'function.settings.updated',
  'function.settings.updated',
  'execution.completed',
  'function.created',
  'execution.failed',
  'function.deleted',
  'key.created',
  'key.revoked',
  'generation.completed',
  'chat.completed',
  'chat.completed',
  'embedding.completed',
  'function_call.completed',
  'gateway.failed',
  'model.fallback',
  'chat.completed',
];

describe('events', () => {
  it('of every kind reach a webhook that subscribes to everything, signed and in accordance with their schemas', async () => {
    const { hooked, receiver } = await open({ providers: { talker: talker(), broken: broken() } });
    await hookAll(hooked, receiver);
    await doEverything(hooked);
    const received = await receiver.received(told.length);
    expect(received.map(({ type }) => type).toSorted()).toEqual(told.toSorted());
    expect(receiver.forged).toEqual([]);
    expect(new Set(received.map(({ id }) => id)).size).toBe(told.length);
    for (const { id: _, at: __, ...message } of received) {
      const check = ajv.compile(messageSchema(message.type as EventKindName));
      expect(check(message), JSON.stringify([message, check.errors])).toBe(true);
      // Thin: nothing that is not in the schema, and so nothing that callers store or models say.
      const { properties } = eventKinds[message.type as EventKindName].data;
      expect(Object.keys(message.data).toSorted()).toEqual(Object.keys(properties).toSorted());
    }
    const failure = received.find(({ type }) => type === 'gateway.failed')?.data;
    expect(failure).toMatchObject({ errorCode: 'provider_error', operation: 'chat' });
    expect(failure?.['attempts']).toContainEqual({ model: 'broken/one', code: 'provider_error' });
    expect(received.find(({ type }) => type === 'execution.failed')?.data).toMatchObject({
      status: 'failed',
      errorCode: 'function_threw',
    });
  });

  it('without a subscribed webhook are not stored', async () => {
    const { hooked } = await open({ providers: { talker: talker(), broken: broken() } });
    await hooked.hook('http://127.0.0.1:9/', { events: ['webhook.disabled'] });
    await doEverything(hooked);
    await hooked.app.host.stop();
    expect(await hooked.storage.scanAllTenants('webhookEvents', {}, 10)).toEqual([]);
    expect(await hooked.storage.scanAllTenants('jobs', {}, 10)).toEqual([]);
  });

  it('are committed with the change that they report, and never without it', async () => {
    const memory = createMemoryStorage();
    const commits: (readonly Write[])[] = [];
    let broken = false;
    const commit: Storage['commit'] = async (tenant, writes) => {
      const isChange = writes.some((write) => !('insert' in write && write.insert === 'jobs'));
      if (broken && isChange) throw new PatchbayError('storage_unavailable', 'the disk is full');
      const result = await memory.commit(tenant, writes);
      if (result.done) commits.push(writes);
      return result;
    };
    const { hooked } = await open({ storage: { ...memory, commit } });
    await hooked.hook('http://127.0.0.1:9/', { enabled: false });
    const {
      services: { functions, executions, keys },
    } = hooked.app;
    const { id } = await functions.create(summarize, context);
    await executions.execute(id, { text: 'a' }, context);
    const { row } = await keys.create({ name: 'CI', scopes: ['functions:read'] }, context);
    await keys.revoke(row.id, context);
    const changes = commits.filter((writes) =>
      writes.some((write) => 'insert' in write && write.insert === 'webhookEvents'),
    );
    const collectionsOf = (writes: readonly Write[]) => writes.map((write) => Object.values(write)[0]);
    expect(changes.map(collectionsOf)).toEqual([
      expect.arrayContaining(['functions', 'auditEntries', 'webhookEvents', 'jobs']),
      ['executions', 'webhookEvents', 'jobs'],
      expect.arrayContaining(['apiKeys', 'auditEntries', 'webhookEvents', 'jobs']),
      expect.arrayContaining(['apiKeys', 'auditEntries', 'webhookEvents', 'jobs']),
    ]);

    broken = true;
    await expect(functions.create(summarize, context)).rejects.toMatchObject({ code: 'storage_unavailable' });
    broken = false;
    await expect(functions.delete(id, context, 7)).rejects.toMatchObject({ code: 'precondition_failed' });
    const kept = await memory.scanAllTenants('webhookEvents', {}, 100);
    expect(kept).toHaveLength(4);
  });

  it('reach the webhooks of their tenant that subscribe to their kind, once each, and no others', async () => {
    const { hooked, receiver } = await open();
    const others = await signedReceiver();
    opened.push(others);
    await hookAll(hooked, receiver, ['function.deleted', 'function.created']);
    const { secret } = await hooked.app.services.webhooks.create(
      { url: others.url, events: ['*'] },
      contextOf('other'),
    );
    others.trust(secret);
    const { id } = await hooked.app.services.functions.create(summarize, context);
    await hooked.app.services.functions.replace(id, summarize, context);
    await hooked.app.services.functions.delete(id, context);
    expect((await receiver.received(2)).map(({ type }) => type)).toEqual(['function.created', 'function.deleted']);
    await hooked.app.services.functions.create(summarize, contextOf('other'));
    expect((await others.received(1)).map(({ type }) => type)).toEqual(['function.created']);
    expect(receiver.messages).toHaveLength(2);
  });

  it('report executions that were cancelled, and those whose server died', async () => {
    const storage = createMemoryStorage();
    const first = await open({ storage });
    const webhook = await hookAll(first.hooked, first.receiver, ['execution.failed']);
    const { app } = first.hooked;
    const { id } = await app.services.functions.create(summarize, context);
    const cancelled = await app.services.executions.execute(id, { text: 'a' }, context);
    const { tenant } = context.caller;
    // As a server that dies leaves them: one running, and one queued and about to run.
    const left = {
      ...cancelled,
      revision: 1,
      status: 'running',
      output: null,
      durationMs: null,
      completedAt: null,
    } as const;
    await storage.commit(tenant, [
      { insert: 'executions', row: { ...left, id: 'execution_lost', owner: null } },
      { insert: 'executions', row: { ...left, id: 'execution_waiting', status: 'queued', owner: null } },
    ]);
    await app.services.executions.cancel('execution_waiting', context);
    await first.receiver.received(1);
    // Otherwise it is sent again: the server does not know yet that it was accepted.
    await expect.poll(async () => (await first.hooked.deliveries(webhook.id))[0]?.state).toBe('delivered');
    await app.host.stop(0);
    const second = await createHookedApp({ storage });
    opened.push({ close: () => second.app.host.stop(0) });
    const told = (await first.receiver.received(2)).map(({ data }) => [data['executionId'], data['status']]);
    expect(told).toEqual([
      ['execution_waiting', 'cancelled'],
      ['execution_lost', 'interrupted'],
    ]);
  });

  it('report an interrupted stream, without details of the request', async () => {
    const cut = scriptedProvider([chatModel('one')], {
      async *stream() {
        yield { type: 'text', text: 'The beginning' };
        throw new PatchbayError('provider_error', 'cut', { upstream: { kind: 'failed' } });
      },
    });
    const { hooked, receiver } = await open({ providers: { cut } });
    await hookAll(hooked, receiver, ['*']);
    const {
      services: { gateway },
    } = hooked.app;
    await expect(gateway.chat({ model: 'cut/none', messages }, context)).rejects.toMatchObject({
      code: 'model_not_found',
    });
    const { events } = await gateway.streamChat({ model: 'cut/one', messages }, context);
    const reading = async () => {
      for await (const _ of events);
    };
    await expect(reading()).rejects.toMatchObject({ code: 'provider_error' });
    const received = await receiver.received(1);
    expect(received).toMatchObject([
      { type: 'gateway.failed', data: { errorCode: 'provider_error', operation: 'chat' } },
    ]);
  });

  it('of requests to models are on disk after a clean stop', async () => {
    const { hooked } = await open({ providers: { talker: talker() } });
    await hooked.hook('http://127.0.0.1:9/', { enabled: false });
    await hooked.app.services.gateway.chat({ model: 'talker/one', messages }, context);
    await hooked.app.host.stop();
    const kept = await hooked.storage.scanAllTenants('webhookEvents', {}, 10);
    expect(kept.map(({ row }) => row.type)).toEqual(['chat.completed']);
  });

  it('also report what an operator does beside the servers', async () => {
    const { hooked, receiver } = await open();
    await hookAll(hooked, receiver);
    const storage = definePlugin({
      name: 'test-storage',
      kind: 'storage',
      version: 1,
      config: { properties: {} },
      create: () => ({ ...hooked.storage, stop: async () => {} }),
    });
    const config = { patchbay: 1, secret: 'x'.repeat(32), storage: { use: storage } } as const;
    await using operator = await openOperator({ ...config, authenticators: { keys: { use: issuer } } });
    const { row } = await operator.keys.create({ name: 'CI', scopes: ['*'] }, operator.actorFor('acme'));
    expect(await receiver.received(1)).toMatchObject([{ type: 'key.created', data: { keyId: row.id } }]);
  });

  it('match their schemas in the documented examples', () => {
    for (const kind of Object.keys(eventKinds) as EventKindName[]) {
      const { example } = eventKinds[kind];
      const check = ajv.compile(messageSchema(kind));
      expect(check({ type: kind, timestamp: '2026-01-01T00:00:00.000Z', data: example }), kind).toBe(true);
      expect(check({ type: kind, timestamp: '2026-01-01T00:00:00.000Z', data: {} }), kind).toBe(false);
    }
  });
});
