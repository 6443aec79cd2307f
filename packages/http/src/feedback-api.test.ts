import { services } from '@patchbay/core/plugin';
import { afterEach, describe, expect, it } from 'vitest';
import { scriptedProvider } from './fixtures/scripted-provider.ts';
import { createTestApp, sample } from './fixtures/test-app.ts';
import { transportsOfServices } from './fixtures/transports.ts';

const DAY_MS = 86_400_000;

/** The scripted model returns its whole prompt as the city. */
const place = { type: 'object', properties: { city: { type: 'string' } }, required: ['city'] } as const;

describe.each(transportsOfServices)('feedback over %s', (_name, open) => {
  const stops: (() => Promise<void>)[] = [];
  afterEach(async () => {
    for (const stop of stops.splice(0)) await stop();
  });

  const start = async (config: object = {}) => {
    let now = Date.now();
    const clock = { now: () => now, monotonic: () => now };
    const mounts = { providers: { acme: { use: scriptedProvider } }, ...config };
    const test = await createTestApp(mounts, { clock });
    const { app } = test;
    const client = await open(app);
    stops.push(async () => {
      await client.close();
      await app.host.stop(0);
    });
    const post = (path: string, body: object, as: 'admin' | 'reader' | 'stranger' = 'admin') =>
      client.send('POST', path, { body, as });
    return {
      app,
      client,
      nextWaiting: () => test.nextWaiting(),
      post,
      give: (target: unknown, fields: object = {}, as?: 'reader' | 'stranger') =>
        post('/feedback', { target, value: 1, ...fields }, as),
      generate: () => post('/generate', { prompt: 'hello', model: 'acme/large' }),
      pass: (ms: number) => {
        now += ms;
      },
    };
  };

  const messages = [{ role: 'user', content: 'hello' }];
  const model = 'acme/large';

  it('is accepted by the id of every kind of response, which is also in its header', async () => {
    const { client, post, give } = await start();
    const code = (await post('/functions', sample)).json;
    const byModel = { ...sample, name: 'By model', code: '', output: place, settings: { model } };
    const written = (await post('/functions', byModel)).json;
    const input = { text: 'a' };
    const chat = { messages: [{ role: 'user', content: '{"text":"a"}' }], model: 'fn/By model' };
    const asked: readonly (readonly [string, object, object])[] = [
      ['/generate', { prompt: 'hello', model }, { model, functionId: null, name: null }],
      ['/chat', { messages, model }, { model, functionId: null }],
      ['/chat', { messages, model, stream: true }, { model, functionId: null }],
      ['/v1/chat/completions', { messages, model }, { model, functionId: null }],
      ['/v1/messages', { messages, model, max_tokens: 9 }, { model }],
      ['/v1/responses', { input: 'hello', model }, { model }],
      [`/functions/${code.id}/execute`, { input }, { model: null, functionId: code.id }],
      [`/functions/${written.id}/execute`, { input }, { model, functionId: written.id, settingsVersion: 1 }],
      ['/call/byModel', { input }, { model, functionId: written.id, name: 'byModel', settingsVersion: 1 }],
      ['/call/byModel', { input, stream: true }, { model, functionId: written.id, name: 'byModel' }],
      ['/v1/chat/completions', chat, { model, functionId: written.id, settingsVersion: 1 }],
    ];
    for (const [path, body, expected] of asked) {
      const { headers, text } = await post(path, body);
      const target = headers.get('patchbay-call');
      expect(target, `${path}: ${text}`).toMatch(/^(generation|chat|call|execution)_/);
      const { status, json, headers: own } = await give(target);
      expect([path, status]).toEqual([path, 201]);
      expect(json).toMatchObject({ target, metric: 'score', value: 1, comment: null, ...expected });
      const read = await client.send('GET', own.get('location') ?? '');
      expect(read.json).toEqual(json);
    }
  });

  it('has separate errors: 404, 409 and 410', async () => {
    const { post, give, generate, pass, client, nextWaiting } = await start();
    const { id } = (await generate()).json;
    for (const target of ['nothing', 'chat_00000000000000000000000000x', id.replace('generation', 'chat')]) {
      expect((await give(target)).json).toMatchObject({ status: 404, code: 'feedback_target_not_found' });
    }
    expect((await give(id, {}, 'stranger')).json).toMatchObject({ status: 404, code: 'feedback_target_not_found' });
    const waits = (await post('/functions', { ...sample, code: 'wait' })).json;
    const running = nextWaiting();
    const headers = { prefer: 'respond-async' };
    const body = { input: { text: 'a' } };
    const queued = await client.send('POST', `/functions/${waits.id}/execute`, { body, headers });
    expect((await give(queued.json.id)).json).toMatchObject({ status: 409, code: 'conflict' });
    await running;
    await client.send('DELETE', `/executions/${queued.json.id}`);
    expect((await give(queued.json.id)).status).toBe(201);
    pass(30 * DAY_MS - 60_000);
    expect((await give(id)).status).toBe(201);
    pass(120_000);
    const expired = { status: 410, code: 'feedback_expired' };
    for (const as of [undefined, 'stranger'] as const) expect((await give(id, {}, as)).json).toMatchObject(expired);
  });

  it('can be repeated unchanged, and replaced only after it was deleted', async () => {
    const { client, give, generate } = await start();
    const { id } = (await generate()).json;
    const rich = { value: 0.5, comment: 'too long', demonstration: { text: 'short' } };
    const first = await give(id, rich);
    expect((await give(id, rich)).json).toEqual(first.json);
    expect((await give(id, { value: 0.6 })).json).toMatchObject({ status: 409, code: 'conflict' });
    const total = async () => (await client.send('GET', '/usage?groupBy=model')).json;
    expect(await total()).toMatchObject({
      total: { feedback: 1, modelCalls: 1 },
      data: [{ group: model, feedback: 1 }],
    });
    const path = `/feedback/${first.json.id}`;
    expect((await client.send('DELETE', path, { as: 'stranger' })).json.code).toBe('feedback_not_found');
    expect((await client.send('DELETE', path)).status).toBe(200);
    expect((await client.send('GET', path)).json.code).toBe('feedback_not_found');
    expect((await give(id, { value: 0.6 })).json).toMatchObject({ value: 0.6, id: first.json.id });
    const audited = (await client.send('GET', '/audit?action=feedback.deleted')).json;
    expect(audited.data).toMatchObject([{ resource: { id: first.json.id } }]);
  });

  it('takes the metrics that settings declare, stored or in the config', async () => {
    const metrics = { resolved: { optimize: 'max', weight: 2 }, reason: {} };
    const { post, give, generate } = await start({ functions: { settings: { 'triage*': { model, metrics } } } });
    const named = (await post('/call/triageTicket', { input: {}, output: place })).json;
    const settings = { metrics: { edits: { optimize: 'min' } } };
    const stored = (await post('/functions', { ...sample, settings })).json;
    const run = (await post(`/functions/${stored.id}/execute`, { input: { text: 'a' } })).json;
    const plain = (await generate()).json;
    const accepted = [
      [named.id, 'resolved', true],
      [named.id, 'reason', 'wrong department'],
      [named.id, 'score', 0],
      [run.id, 'edits', 0.25],
      [run.id, 'score', false],
    ] as const;
    for (const [target, metric, value] of accepted) {
      expect((await give(target, { metric, value })).json).toMatchObject({ metric, value });
    }
    const refused = [
      [plain.id, 'resolved', 1, '/metric'],
      [run.id, 'resolved', 1, '/metric'],
      [named.id, 'resolved', 'yes', '/value'],
      [plain.id, 'score', 'good', '/value'],
      [plain.id, 'score', 1.5, '/value'],
      [plain.id, 'Not a name', 1, '/metric'],
    ] as const;
    for (const [target, metric, value, pointer] of refused) {
      const { status, json } = await give(target, { metric, value });
      expect([metric, value, status, json.errors?.[0]?.pointer]).toEqual([metric, value, 400, pointer]);
    }
  });

  it('is listed newest first, by filters, for its own tenant', async () => {
    const { client, post, give, generate, pass } = await start();
    const stored = (await post('/functions', sample)).json;
    const run = (await post(`/functions/${stored.id}/execute`, { input: { text: 'a' } })).json;
    const plain = (await generate()).json;
    await give(run.id);
    pass(1);
    await give(plain.id);
    const targets = async (query: string, as: 'admin' | 'stranger' = 'admin') => {
      const { json } = await client.send('GET', `/feedback${query}`, { as });
      return json.data.map(({ target }: { readonly target: string }) => target);
    };
    expect(await targets('')).toEqual([plain.id, run.id]);
    expect(await targets(`?target=${plain.id}`)).toEqual([plain.id]);
    expect(await targets(`?functionId=${stored.id}`)).toEqual([run.id]);
    expect(await targets(`?model=${model}&metric=score`)).toEqual([plain.id]);
    expect(await targets('?metric=resolved')).toEqual([]);
    expect(await targets(`?name=${sample.name}`)).toEqual([]);
    const [newest] = (await client.send('GET', '/feedback')).json.data;
    expect(await targets(`?since=${newest.createdAt}`)).toEqual([plain.id]);
    const { json: first } = await client.send('GET', '/feedback?limit=1&since=2026-01-31T12:00:00%2B02:00');
    expect(first.meta).toMatchObject({ total: 2, nextCursor: expect.any(String) });
    expect(await targets(`?cursor=${first.meta.nextCursor}&since=2026-01-31T10:00:00Z`)).toEqual([run.id]);
    for (const time of ['yesterday', '2026-02-30T00:00:00Z', '2026-01-31']) {
      const { json } = await client.send('GET', `/feedback?since=${time}`);
      expect([time, json.status, json.errors?.[0]?.pointer]).toEqual([time, 400, '?since']);
    }
    expect(await targets('', 'stranger')).toEqual([]);
    await client.send('DELETE', `/functions/${stored.id}`);
    expect(await targets(`?functionId=${stored.id}`)).toEqual([run.id]);
    expect((await give(run.id, { value: true }, 'reader')).json).toMatchObject({
      status: 403,
      scope: 'feedback:write',
    });
  });

  it('is accepted once if several are sent at the same time', async () => {
    const { give, generate, client } = await start();
    const { id } = (await generate()).json;
    const replies = await Promise.all([0, 0.25, 0.5, 0.75, 1].map((value) => give(id, { value })));
    expect(replies.filter(({ status }) => status === 409)).toHaveLength(4);
    const winner = replies.find(({ status }) => status === 201);
    expect((await client.send('GET', `/feedback?target=${id}`)).json.data).toEqual([winner?.json]);
  });

  it('is announced to webhooks without its texts', async () => {
    const { app, client, post, give, generate } = await start({ webhooks: { allow: ['127.0.0.0/8'] } });
    const url = 'http://127.0.0.1:9/';
    const { id: webhookId } = (await post('/webhooks', { url, events: ['feedback.created', 'feedback.deleted'] })).json;
    const { id } = (await generate()).json;
    const settings = { metrics: { reason: {} } };
    const stored = (await post('/functions', { ...sample, settings })).json;
    const run = (await post(`/functions/${stored.id}/execute`, { input: { text: 'a' } })).json;
    const secret = 'words of a user';
    await give(id, { value: true, comment: secret, demonstration: secret });
    await give(run.id, { metric: 'reason', value: secret });
    // A repetition is not an event.
    await give(id, { value: true, comment: secret, demonstration: secret });
    const storage = app.host.resolve(services.storage);
    const events = (await storage.scanAllTenants('webhookEvents', {}, 100)).map(({ row }) => row);
    expect(webhookId).toMatch(/^webhook_/);
    expect(JSON.stringify(events)).not.toContain(secret);
    const by = { callerId: 'key_acme_1' };
    expect(events.map(({ data }) => data)).toEqual(
      expect.arrayContaining([
        expect.objectContaining({ target: id, metric: 'score', value: 1, model, functionId: null, ...by }),
        expect.objectContaining({ target: run.id, metric: 'reason', value: null, model: null, functionId: stored.id }),
      ]),
    );
    expect(events).toHaveLength(2);
    const { id: feedbackId } = (await client.send('GET', `/feedback?target=${id}`)).json.data[0];
    await client.send('DELETE', `/feedback/${feedbackId}`);
    const all = (await storage.scanAllTenants('webhookEvents', {}, 100)).map(({ row }) => row);
    const deleted = all.find(({ type }) => type === 'feedback.deleted');
    expect(deleted?.data).toEqual({ feedbackId, target: id, metric: 'score' });
  });
});
