import { afterEach, describe, expect, it } from 'vitest';
import { scriptedProvider } from './fixtures/scripted-provider.ts';
import { createTestApp, sample } from './fixtures/test-app.ts';
import { type Client, transportsOfServices } from './fixtures/transports.ts';

// The usage of each call of the scripted provider: 5 + 1 tokens in, 2 out, at 1 and 2 dollars per million.
const tokens = { uncachedInputTokens: 5, cacheReadTokens: 1, cacheWriteTokens: 0, outputTokens: 2, reasoningTokens: 0 };
const COST = '0.000010000';

describe.each(transportsOfServices)('GET /usage over %s', (_name, open) => {
  const stops: (() => Promise<void>)[] = [];
  afterEach(async () => {
    for (const stop of stops.splice(0)) await stop();
  });

  const start = async () => {
    let now = Date.parse('2026-01-31T23:30:00.000Z');
    const clock = { now: () => now, monotonic: () => now };
    const { app } = await createTestApp({ providers: { acme: { use: scriptedProvider } } }, { clock });
    const client: Client = await open(app);
    stops.push(async () => {
      await client.close();
      await app.host.stop(0);
    });
    const pass = (ms: number) => {
      now += ms;
    };
    const usage = async (query = '', as: 'admin' | 'stranger' = 'admin') =>
      (await client.send('GET', `/usage${query}`, { as })).json;
    const generate = (fields: object = {}, as: 'admin' | 'stranger' = 'admin') =>
      client.send('POST', '/generate', { body: { prompt: 'hello', model: 'acme/large', ...fields }, as });
    return { client, pass, usage, generate };
  };

  it('usage is empty at first', async () => {
    const { usage } = await start();
    expect(await usage()).toEqual({
      data: [],
      total: {
        executions: 0,
        modelCalls: 0,
        cachedCalls: 0,
        feedback: 0,
        failures: 0,
        uncachedInputTokens: 0,
        cacheReadTokens: 0,
        cacheWriteTokens: 0,
        outputTokens: 0,
        reasoningTokens: 0,
        durationMs: 0,
        cost: null,
        unpricedCalls: 0,
      },
      meta: { from: '2026-01-02T00:00:00.000Z', to: '2026-02-01T00:00:00.000Z' },
    });
  });

  it('usage includes every call as soon as it has a response, with tokens and exact cost', async () => {
    const { usage, generate } = await start();
    await generate();
    expect((await usage()).total).toMatchObject({
      ...tokens,
      modelCalls: 1,
      cachedCalls: 0,
      executions: 0,
      failures: 0,
      cost: { amount: COST, currency: 'USD' },
      unpricedCalls: 0,
    });
  });

  it('groups sums as requested', async () => {
    const { client, usage, generate } = await start();
    await generate();
    await generate({ stream: true });
    await generate({ model: 'acme/org/small' });
    await generate({ prompt: 'crash' });
    await client.send('POST', '/embeddings', { body: { text: 'a', model: 'acme/embed' } });
    const { json } = await client.send('POST', '/functions', { body: sample });
    const failing = await client.send('POST', '/functions', { body: { ...sample, code: 'fail' } });
    for (const id of [json.id, json.id, failing.json.id]) {
      await client.send('POST', `/functions/${id}/execute`, { body: { input: { text: 'a' } } });
    }
    const groups = async (by: string, ...names: string[]) =>
      Object.fromEntries(
        (await usage(`?groupBy=${by}`)).data.map((entry: Record<string, unknown>) => [
          entry['group'],
          names.map((name) => entry[name]),
        ]),
      );
    // The failed one was retried.
    expect(await groups('model', 'modelCalls', 'executions', 'failures', 'unpricedCalls')).toEqual({
      '': [0, 3, 1, 0],
      'acme/embed': [1, 0, 0, 0],
      'acme/large': [4, 0, 2, 0],
      'acme/org/small': [1, 0, 0, 1],
    });
    expect(await groups('kind', 'modelCalls', 'executions')).toEqual({ execution: [0, 3], model: [6, 0] });
    expect(await groups('provider', 'modelCalls')).toEqual({ '': [0], acme: [6] });
    expect(await groups('outcome', 'modelCalls', 'executions')).toEqual({ completed: [4, 2], failed: [2, 1] });
    expect(await groups('key', 'modelCalls', 'executions')).toEqual({ key_acme_1: [6, 3] });
    expect(await groups('function', 'modelCalls', 'executions')).toEqual({
      '': [6, 0],
      [json.id]: [0, 2],
      [failing.json.id]: [0, 1],
    });
    const { total } = await usage();
    expect(total).toMatchObject({ modelCalls: 6, executions: 3, failures: 3, unpricedCalls: 1 });
    // Two responses of the large model, and one token of the other.
    expect(total.cost.amount).toBe('0.000020100');
    expect(total.outputTokens).toBe(6);
  });

  it('usage separates hours and days', async () => {
    const { pass, usage, generate } = await start();
    await generate();
    pass(3_600_000);
    await generate();
    await generate();
    const days = (await usage('?groupBy=day&from=2026-01-01&to=2026-03-01')).data;
    expect(days.map(({ group, modelCalls }: { group: string; modelCalls: number }) => [group, modelCalls])).toEqual([
      ['2026-01-31', 1],
      ['2026-02-01', 2],
    ]);
    expect((await usage('?groupBy=hour')).data.map(({ group }: { group: string }) => group)).toEqual([
      '2026-01-31T23:00:00.000Z',
      '2026-02-01T00:00:00.000Z',
    ]);
    expect((await usage('?from=2026-02-01')).total.modelCalls).toBe(2);
    expect((await usage('?to=2026-02-01')).total.modelCalls).toBe(1);
    expect((await usage('?from=2026-01-31T23:00:00Z&to=2026-02-01T00:00:00.000Z')).total.modelCalls).toBe(1);
  });

  it('usage covers only the tenant of the caller', async () => {
    const { usage, generate } = await start();
    await generate({}, 'stranger');
    expect((await usage()).total.modelCalls).toBe(0);
    expect((await usage('', 'stranger')).total.modelCalls).toBe(1);
  });

  it('reading usage needs its scope', async () => {
    const { client } = await start();
    const answer = await client.send('GET', '/usage', { as: 'reader' });
    expect([answer.status, answer.json.scope]).toEqual([403, 'usage:read']);
  });

  it.each([
    ['?from=yesterday', '?from'],
    ['?from=2026-02-30', '?from'],
    ['?from=2026-01-31T13:05:00Z', '?from'],
    ['?to=2026-01-31T24:00:00Z', '?to'],
    ['?from=2026-01-02&to=2026-01-01', '?from'],
    ['?from=2025-01-01&to=2026-01-01', '?from'],
    ['?groupBy=prompt', '?groupBy'],
    ['?group=day', '?group'],
  ])('refuses %s', async (query, pointer) => {
    const { client } = await start();
    const { status, json } = await client.send('GET', `/usage${query}`);
    expect([status, json.code, json.errors[0].pointer]).toEqual([400, 'invalid_request', pointer]);
  });

  it('counts a stream that is cut off with what was sent until then', async () => {
    const { usage, generate } = await start();
    const cut = await generate({ prompt: 'some words CUT', stream: true });
    expect(cut.text).toContain('event: error');
    const { total } = await usage();
    expect(total).toMatchObject({ modelCalls: 1, failures: 1 });
    expect(total.outputTokens).toBeGreaterThan(0);
    expect(Number(total.cost.amount)).toBeGreaterThan(0);
  });
});
