import { definePlugin, type Router } from '@patchbay/core/plugin';
import { afterEach, describe, expect, it } from 'vitest';
import { createFetchHandler } from './fetch-handler.ts';
import { scriptedProvider } from './fixtures/scripted-provider.ts';
import { createTestApp, sample, tokenOf } from './fixtures/test-app.ts';
import { transportsOfServices } from './fixtures/transports.ts';

const place = { type: 'object', properties: { city: { type: 'string' } }, required: ['city'] } as const;
const messages = [{ role: 'user', content: 'hello' }];
const input = { text: 'a' };

/** Puts the second model first, with a probability of one in four. */
const exploring: Router = {
  route: async (_request, [first, second]) => [
    { id: second?.id ?? '', score: 1, reason: 'tried', propensity: 0.25 },
    { id: first?.id ?? '', score: 1, reason: 'best', propensity: 0.75 },
  ],
};
const router = definePlugin({
  name: 'exploring',
  kind: 'router',
  version: 1,
  config: { properties: {} },
  create: () => exploring,
});

// One host: all share this code.
describe.each(transportsOfServices.slice(0, 1))('records of calls over %s', (_name, open) => {
  const stops: (() => Promise<void>)[] = [];
  afterEach(async () => {
    for (const stop of stops.splice(0)) await stop();
  });

  const start = async (mounts: object = { providers: { acme: { use: scriptedProvider } } }) => {
    const { app } = await createTestApp(mounts);
    const client = await open(app);
    stops.push(async () => {
      await client.close();
      await app.host.stop(0);
    });
    const post = (path: string, body: object) => client.send('POST', path, { body });
    const recordOf = async (answer: { readonly headers: Headers }) => {
      const { json } = await client.send('GET', `/calls/${answer.headers.get('patchbay-call')}`);
      return json;
    };
    const list = async (query = '') => (await client.send('GET', `/calls${query}`)).json.data;
    return { app, client, post, recordOf, list };
  };

  it('have the model, who chose it, the tokens and the cost, once per response', async () => {
    const { post, recordOf, list } = await start();
    const byModel = { ...sample, name: 'By model', code: '', output: place, settings: { model: 'acme/large' } };
    const { id: functionId } = (await post('/functions', byModel)).json;
    const code = (await post('/functions', sample)).json;
    const chosen = { model: 'acme/large', outcome: 'completed', decision: { by: 'caller' }, attempts: [] };
    const stored = { functionId, settingsVersion: 1, ...chosen };
    const chat = { messages: [{ role: 'user', content: '{"text":"a"}' }], model: 'fn/By model' };
    const calls: readonly (readonly [string, object, object])[] = [
      ['/chat', { messages, model: 'acme/large' }, { ...chosen, name: null, functionId: null }],
      ['/chat', { messages, model: 'acme/large', stream: true }, chosen],
      ['/v1/chat/completions', { messages, model: 'acme/large' }, chosen],
      ['/call/byModel', { input }, { ...stored, name: 'byModel' }],
      [`/functions/${functionId}/execute`, { input }, { ...stored, name: 'By model' }],
      ['/v1/chat/completions', chat, { ...stored, name: 'By model' }],
      ['/call/anything', { input, output: place }, { name: 'anything', functionId: null, outcome: 'completed' }],
      ['/call/summarizeText', { input }, { model: null, functionId: code.id, decision: null, promptTokens: 0 }],
    ];
    for (const [path, body, expected] of calls) {
      const answer = await post(path, body);
      expect([path, await recordOf(answer)]).toEqual([path, expect.objectContaining(expected)]);
    }
    const all = await list();
    expect(all).toHaveLength(calls.length);
    expect(all[7]).toMatchObject({
      promptTokens: 6,
      completionTokens: 2,
      cost: { amount: '0.000010000', currency: 'USD' },
    });
    const [, , , byName] = all.toReversed();
    expect(byName.executionId).toMatch(/^execution_/);
    expect(await list(`?functionId=${functionId}`)).toHaveLength(3);
    expect(await list('?outcome=failed')).toEqual([]);
  });

  it('have the steps of a call that did not succeed at once, and its error', async () => {
    const { post, list } = await start();
    const routing = { fallbacks: ['acme/org/small'] };
    await post('/chat', { messages: [{ role: 'user', content: 'busy' }], model: 'acme/large', routing });
    const weather = { name: 'weather', parameters: place };
    await post('/function-calling', {
      messages: [{ role: 'user', content: 'wrong' }],
      model: 'acme/large',
      functions: [weather],
    });
    await post(`/functions/${(await post('/functions', { ...sample, code: 'fail' })).json.id}/execute`, { input });
    const [executed, called, busy] = await list('?outcome=failed');
    const code = 'provider_rate_limited';
    expect(busy).toMatchObject({ errorCode: code, firstOutputMs: null, attempts: [{ code }, { code }] });
    const attempt = { kind: 'attempt', code, detail: 'test is busy' };
    expect(busy.steps).toMatchObject([
      { ...attempt, name: 'acme/large' },
      { ...attempt, name: 'acme/org/small' },
    ]);
    const fault = { pointer: '/functionCall', detail: '/arguments/city must be string' };
    expect(called.steps).toMatchObject([
      { kind: 'repair', name: 'acme/large', code: 'function_call_invalid', errors: [fault] },
      { kind: 'attempt', name: 'acme/large', code: 'function_call_invalid', errors: [fault] },
    ]);
    expect(executed).toMatchObject({ errorCode: 'function_threw', name: 'Summarize Text', model: null, steps: [] });
  });

  it('of queued executions have the time in the queue', async () => {
    const { post, client, list } = await start();
    const { id } = (await post('/functions', sample)).json;
    const headers = { prefer: 'respond-async' };
    const { json } = await client.send('POST', `/functions/${id}/execute`, { body: { input }, headers });
    const logs = await client.send('GET', `/executions/${json.id}/logs`);
    expect(logs.status).toBe(200);
    const [record] = await list();
    expect(record).toMatchObject({ id: json.id, outcome: 'completed', queuedMs: expect.any(Number) });
  });

  it('have all candidates of a choice that was left to chance', async () => {
    const { post, recordOf } = await start({ providers: { acme: { use: scriptedProvider } }, router: { use: router } });
    const record = await recordOf(await post('/generate', { prompt: 'hello' }));
    const { candidates, ...decision } = record.decision;
    expect(decision).toEqual({ by: 'router', reason: 'tried' });
    expect(candidates.slice(0, 2)).toEqual([
      { model: record.model, propensity: 0.25 },
      { model: expect.any(String), propensity: 0.75 },
    ]);
  });
});

it('followed calls are sent as events until the server stops', async () => {
  let ahead = 0;
  const clock = { now: () => Date.now() + ahead, monotonic: () => performance.now() };
  const { app } = await createTestApp({ providers: { acme: { use: scriptedProvider } } }, { clock });
  const respond = createFetchHandler(app);
  const headers = { authorization: `Bearer ${tokenOf('admin')}`, accept: 'text/event-stream' };
  const follow = async (more: object = {}) => {
    const { status, body } = await respond(new Request('http://localhost/calls', { headers: { ...headers, ...more } }));
    return {
      status,
      pieces: (body ?? new ReadableStream<Uint8Array>()).pipeThrough(new TextDecoderStream()).getReader(),
    };
  };
  const { pieces } = await follow();
  const read = async (reader = pieces) => (await reader.read()).value ?? '';
  expect(await read()).toBe(': following\n\n');
  const event = read();
  const body = JSON.stringify({ prompt: 'hello', model: 'acme/large' });
  const post = { method: 'POST', body, headers: { ...headers, 'content-type': 'application/json' } };
  const answer = await respond(new Request('http://localhost/generate', post));
  ahead += 2_000;
  const [, place, data = ''] = /^id: (\S+)\nevent: call\ndata: (.*)\n\n$/.exec(await event) ?? [];
  expect(JSON.parse(data)).toMatchObject({ id: answer.headers.get('patchbay-call'), model: 'acme/large' });

  expect((await follow({ 'last-event-id': 'another' })).status).toBe(400);
  const resumed = await follow({ 'last-event-id': place });
  expect(await read(resumed.pieces)).toBe(': following\n\n');
  const stopped = app.host.stop(10_000);
  expect(await read()).toContain('"code":"shutting_down"');
  expect(await read(resumed.pieces)).toContain('"code":"shutting_down"');
  await stopped;
});
