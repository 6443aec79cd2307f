import { definePlugin, PatchbayError } from '@patchbay/core/plugin';
import { createMemoryStorage } from '@patchbay/core/storage';
import { afterEach, describe, expect, it } from 'vitest';
import { scriptedProvider } from './fixtures/scripted-provider.ts';
import { createTestApp, sample } from './fixtures/test-app.ts';
import { type SendOptions, transportsOfServices } from './fixtures/transports.ts';

const place = { type: 'object', properties: { city: { type: 'string' } }, required: ['city'] } as const;
const model = 'acme/large';
const say = (content: string) => [{ role: 'user', content }];
const input = { text: 'Ada in Bern' };
const nothing = {
  level: 'off',
  summary: null,
  request: null,
  response: null,
  repairs: [],
  redacted: [],
  cut: [],
  omitted: [],
};

type CallRecords = Readonly<Record<string, unknown>>;

// One host: all share this code.
describe.each(transportsOfServices.slice(0, 1))('the content of calls over %s', (_name, open) => {
  const stops: (() => Promise<void>)[] = [];
  afterEach(async () => {
    for (const stop of stops.splice(0)) await stop();
  });

  const start = async (callRecords: CallRecords, more: object = {}) => {
    const { app, log } = await createTestApp({ providers: { acme: { use: scriptedProvider } }, callRecords, ...more });
    const client = await open(app);
    stops.push(async () => {
      await client.close();
      await app.host.stop(0);
    });
    const post = async (path: string, body: object, as: SendOptions['as'] = 'admin') =>
      await client.send('POST', path, { body, as });
    const read = async (id: string | null, as: SendOptions['as'] = 'admin') =>
      await client.send('GET', `/calls/${id}/content`, { as });
    const contentOf = async (path: string, body: object) => {
      const { headers } = await post(path, body);
      return (await read(headers.get('patchbay-call'))).json;
    };
    return { app, log, client, post, read, contentOf };
  };

  it('is not stored by default', async () => {
    const { post, read } = await start({});
    const { headers } = await post('/generate', { prompt: 'hello', model });
    const id = headers.get('patchbay-call');
    expect((await read(id)).json).toEqual({ id, ...nothing });
  });

  it('includes the requests and responses of every kind of call', async () => {
    const { post, contentOf } = await start({ content: 'full' });
    const byModel = { ...sample, name: 'By model', code: '', output: place, settings: { model } };
    const { id: functionId } = (await post('/functions', byModel)).json;
    await post('/functions', { ...sample, name: 'By code' });
    const weather = { name: 'weather', parameters: place };
    const complete = { ...input, maxPoints: 5 };
    const prompt = JSON.stringify(complete);
    const done = { message: { role: 'assistant', content: 'HELLO' }, finishReason: 'stop' };
    const prompted = { input: complete, messages: [expect.anything(), { role: 'user', content: prompt }] };
    const inBern = { output: { city: prompt } };
    const said = JSON.stringify(input);
    const calls: readonly (readonly [string, object, object, object])[] = [
      ['/generate', { prompt: 'hello', model }, { prompt: 'hello', model }, { text: 'HELLO', finishReason: 'stop' }],
      ['/chat', { messages: say('hello'), model, temperature: 0 }, { messages: say('hello'), temperature: 0 }, done],
      [
        '/chat',
        { messages: say('hello'), model, stream: true },
        { messages: say('hello') },
        { message: { content: 'hello' } },
      ],
      [
        '/function-calling',
        { messages: say('Bern'), model, functions: [weather] },
        { messages: say('Bern'), functions: [weather] },
        { functionCall: { name: 'weather', arguments: { city: 'Bern' } } },
      ],
      // Translated: no provider here accepts the request of a vendor unchanged.
      ['/v1/chat/completions', { messages: say('hello'), model }, { messages: say('hello') }, done],
      [
        '/v1/messages',
        { messages: say('hello'), model, max_tokens: 9 },
        { messages: say('hello'), max_tokens: 9 },
        done,
      ],
      ['/v1/responses', { input: 'hello', model }, { input: 'hello' }, done],
      ['/call/byModel', { input }, prompted, inBern],
      [`/functions/${functionId}/execute`, { input }, prompted, inBern],
      ['/call/anything', { input, output: place, model }, { input }, { output: { city: said } }],
      ['/call/byCode', { input }, { input: complete }, { output: complete }],
    ];
    for (const [path, body, request, response] of calls) {
      const { level, redacted, ...content } = await contentOf(path, body);
      expect([path, level, redacted]).toEqual([path, 'full', []]);
      expect([path, content.request]).toEqual([path, expect.objectContaining(request)]);
      expect([path, content.response]).toMatchObject([path, response]);
      expect(content.summary).toMatchObject({ requestBytes: expect.any(Number), responseBytes: expect.any(Number) });
    }
  });

  it('includes rejected outputs with their errors, and the request of a failed call', async () => {
    const { post, client, read } = await start({ content: 'full' });
    const weather = { name: 'weather', parameters: place };
    await post('/function-calling', { messages: say('wrong'), model, functions: [weather] });
    const [failed] = (await client.send('GET', '/calls')).json.data;
    const called = (await read(failed.id)).json;
    const rejected = {
      model,
      output: { name: 'weather', arguments: { city: 1 } },
      errors: [{ pointer: '/functionCall', detail: '/arguments/city must be string' }],
    };
    expect(called).toMatchObject({ request: { messages: say('wrong') }, response: null, repairs: [rejected] });
    expect(called.summary).toMatchObject({ responseBytes: null, repairs: [{ model, errors: rejected.errors }] });
  });

  it('has no text at the metadata level', async () => {
    const { contentOf } = await start({ content: 'metadata' });
    const content = await contentOf('/chat', { messages: say('hello'), model });
    expect(content).toMatchObject({ level: 'metadata', request: null, response: null });
    expect(content.summary).toMatchObject({ messages: 1, roles: { user: 1 }, finishReason: 'stop' });
    expect(JSON.stringify(content).toLowerCase()).not.toContain('hello');
  });

  it('is lowered, and not raised, by the settings of a function', async () => {
    const { post, contentOf } = await start({ content: 'metadata' });
    const settings = { model };
    await post('/functions', {
      ...sample,
      name: 'Off',
      code: '',
      output: place,
      settings: { ...settings, content: 'off' },
    });
    await post('/functions', {
      ...sample,
      name: 'Full',
      code: '',
      output: place,
      settings: { ...settings, content: 'full' },
    });
    await post('/functions', { ...sample, name: 'Code', settings: { content: 'off' } });
    expect((await contentOf('/call/off', { input })).level).toBe('off');
    expect((await contentOf('/call/code', { input })).level).toBe('off');
    expect((await contentOf('/call/full', { input })).level).toBe('metadata');
  });

  it('of a trial has the level of the trial, if that is lower', async () => {
    const { post, read } = await start({ content: 'full' });
    const byModel = { ...sample, name: 'By model', code: '', output: place, settings: { model } };
    for (const body of [byModel, { ...sample, name: 'By code' }]) {
      const { id } = (await post('/functions', body)).json;
      const levelOf = async (trial: object) => {
        const { json } = await post(`/functions/${id}/execute`, { input, trial });
        return (await read(json.id)).json.level;
      };
      expect([await levelOf({}), await levelOf({ content: 'off' })]).toEqual(['full', 'off']);
    }
  });

  it('of a function whose outputs are cached has input and output', async () => {
    const { post, contentOf } = await start({ content: 'full' });
    await post('/functions', {
      ...sample,
      name: 'Cached',
      code: '',
      output: place,
      settings: { model, cacheSeconds: 60 },
    });
    const first = await contentOf('/call/cached', { input });
    const { request, response } = await contentOf('/call/cached', { input });
    expect([request, response]).toEqual([{ input: first.request.input }, { output: first.response.output }]);
    const settings = { model, cacheSeconds: 60, content: 'off' };
    await post('/functions', { ...sample, name: 'Off', code: '', output: place, settings });
    const levels = [await contentOf('/call/off', { input }), await contentOf('/call/off', { input })];
    expect(levels.map(({ level }) => level)).toEqual(['off', 'off']);
  });

  it('of an asynchronous execution follows the settings of its function', async () => {
    const { post, client, read } = await start({ content: 'full' });
    for (const [content, level] of [
      ['metadata', 'metadata'],
      ['full', 'full'],
    ] as const) {
      const { id } = (await post('/functions', { ...sample, name: `Later ${content}`, settings: { content } })).json;
      const headers = { prefer: 'respond-async' };
      const { json } = await client.send('POST', `/functions/${id}/execute`, { body: { input }, headers });
      expect((await client.send('GET', `/executions/${json.id}/logs`)).status).toBe(200);
      await expect.poll(async () => (await read(json.id)).json.level).toBe(level);
    }
  });

  it('fails no call while the storage cannot store it', async () => {
    const memory = createMemoryStorage();
    const full: typeof memory = {
      ...memory,
      async commit(tenant, writes) {
        if (JSON.stringify(writes).includes('callContents')) throw new PatchbayError('storage_unavailable', 'full');
        return await memory.commit(tenant, writes);
      },
    };
    const use = definePlugin({
      name: 'full-storage',
      kind: 'storage',
      version: 1,
      config: { properties: {} },
      create: () => full,
    });
    const { post, read, client } = await start({ content: 'full' }, { storage: { use }, limits: { off: true } });
    for (let count = 0; count < 50; count += 1) {
      expect((await post('/generate', { prompt: 'hello', model })).status).toBe(200);
    }
    const { data } = (await client.send('GET', '/calls?limit=100')).json;
    expect(data).toHaveLength(50);
    expect((await read(data[0].id)).json.level).toBe('off');
  });

  it('of a name without a function follows the settings of the config', async () => {
    const functions = { dynamicCalls: 'allow', settings: { 'secret*': { content: 'metadata', model } } };
    const { contentOf } = await start({ content: 'full' }, { functions });
    expect((await contentOf('/call/secretName', { input, output: place })).level).toBe('metadata');
    expect((await contentOf('/call/another', { input, output: place, model })).level).toBe('full');
  });

  it('has nothing that the config redacts, nor the prompt that repeats it', async () => {
    const { post, contentOf } = await start({ content: 'full', redact: ['/input/text', '/messages/*/content'] });
    await post('/functions', { ...sample, name: 'By model', code: '', output: place, settings: { model } });
    const content = await contentOf('/call/byModel', { input });
    expect(content.redacted).toContain('/request/input/text');
    expect(content.redacted).toContain('/request/messages/0/content');
    expect(JSON.stringify(content)).not.toContain('Ada');
    expect(content.response).toEqual({ output: { city: '[redacted]' }, finishReason: 'tool-calls', warnings: [] });
  });

  it.each(['input', '/a~2', ''])('is not stored with the rule %j, which is refused', async (rule) => {
    const starting = createTestApp({ callRecords: { content: 'full', redact: [rule] } });
    await expect(starting).rejects.toThrow(/callRecords\.redact/);
  });

  it('is refused to other tenants, and to keys without the scope', async () => {
    const { post, read } = await start({ content: 'full' });
    const id = (await post('/generate', { prompt: 'hello', model })).headers.get('patchbay-call');
    const [reader, stranger, missing] = [
      await read(id, 'reader'),
      await read(id, 'stranger'),
      await read('call_x', 'stranger'),
    ];
    expect([reader.status, reader.json.scope]).toEqual([403, 'calls:content']);
    expect([stranger.status, stranger.json.code]).toEqual([404, 'call_not_found']);
    expect({ ...stranger.json, requestId: '', instance: '' }).toEqual({ ...missing.json, requestId: '', instance: '' });
  });

  it('is encrypted', async () => {
    const storage = createMemoryStorage();
    const use = definePlugin({
      name: 'seen-storage',
      kind: 'storage',
      version: 1,
      config: { properties: {} },
      create: () => storage,
    });
    const { contentOf } = await start({ content: 'full' }, { storage: { use } });
    expect((await contentOf('/generate', { prompt: 'words of the caller', model })).level).toBe('full');
    const [stored] = await storage.scanAllTenants('callContents', {}, 10);
    expect(stored?.row.content).toMatch(/^sealed1\./);
    expect(JSON.stringify(stored)).not.toContain('words of the caller');
  });
});
