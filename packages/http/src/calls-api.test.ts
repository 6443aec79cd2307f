import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { scriptedProvider } from './fixtures/scripted-provider.ts';
import { createTestApp, sample, type TestApp } from './fixtures/test-app.ts';
import { type Client, transportsOfServices } from './fixtures/transports.ts';

/** The scripted model returns its whole prompt as the city. */
const place = { type: 'object', properties: { city: { type: 'string' } }, required: ['city'] } as const;

describe.each(transportsOfServices)('calls by name over %s', (_name, open) => {
  let test: TestApp;
  let client: Client;
  beforeAll(async () => {
    test = await createTestApp({ providers: { test: { use: scriptedProvider } } });
    client = await open(test.app);
  });
  afterAll(async () => {
    await client.close();
    await test.app.host.stop(0);
  });

  const call = (name: string, body: object, as?: 'reader' | 'stranger') =>
    client.send('POST', `/call/${encodeURIComponent(name)}`, { body, ...(as ? { as } : {}) });
  const create = async (fields: object) =>
    (await client.send('POST', '/functions', { body: { ...sample, ...fields } })).json;

  it('a call executes the stored function with this name or key', async () => {
    const { id } = await create({ name: 'Echo it / twice' });
    for (const name of ['Echo it / twice', 'echoItTwice']) {
      const { status, json } = await call(name, { input: { text: 'a' } });
      expect(status).toBe(200);
      expect(json).toMatchObject({ name, source: 'stored', functionId: id, output: { text: 'a' }, warnings: [] });
      expect(json.id).toMatch(/^call_/);
      const execution = await client.send('GET', `/executions/${json.executionId}`);
      expect(execution.json).toMatchObject({ status: 'completed', functionId: id });
    }
    expect((await call('echoItTwice', { input: {} })).json).toMatchObject({ status: 422, code: 'input_invalid' });
    const chosen = await call('echoItTwice', { input: { text: 'a' }, model: 'test/large' });
    expect(chosen.json.warnings).toHaveLength(1);
    const fails = await create({ name: 'fails', code: 'fail' });
    expect((await call('fails', { input: { text: 'a' } })).json).toMatchObject({
      code: 'function_failed',
      execution: { functionId: fails.id },
    });
  });

  it('a failing model gets the documented problem, however its function was called', async () => {
    // A separate model, because one that fails is not called again for a while.
    const { app } = await createTestApp({ providers: { test: { use: scriptedProvider } } });
    const own = await open(app);
    const body = { ...sample, name: 'Model fails', code: '', settings: { prompt: 'crash', model: 'test/large' } };
    const { id } = (await own.send('POST', '/functions', { body })).json;
    const { json: document } = await own.send('GET', '/openapi.json');
    for (const path of ['/functions/{id}/execute', '/call/{name}']) {
      const target = path.replace('{id}', id).replace('{name}', 'Model fails');
      const { status, json } = await own.send('POST', encodeURI(target), { body: { input: { text: 'a' } } });
      expect([path, status, json.code]).toEqual([path, 502, 'provider_error']);
      const { responses } = document.paths[path].post;
      expect(Object.keys(responses), path).toEqual(expect.arrayContaining(['429', '502', '503', '504']));
      expect(JSON.stringify(responses), path).toContain('quota_exceeded');
    }
    await own.close();
    await app.host.stop(0);
  });

  it('a call of a name that two functions have is refused', async () => {
    const ids = [(await create({ name: 'Twin One' })).id, (await create({ name: 'twinOne!' })).id];
    expect((await call('Twin One', { input: { text: 'a' } })).status).toBe(200);
    const { json } = await call('twinOne', { input: { text: 'a' } });
    expect(json).toMatchObject({ status: 409, code: 'ambiguous_function_name' });
    expect(new Set(json.ids)).toEqual(new Set(ids));
  });

  it('a stored function must match the output that the caller declares', async () => {
    await create({ name: 'shaped' });
    const wrong = await call('shaped', { input: { text: 'a' }, output: place });
    expect(wrong.json).toMatchObject({
      code: 'function_output_invalid',
      errors: [{ pointer: '/output/city' }],
      execution: { status: 'completed' },
    });
    const right = { type: 'object', properties: { text: { type: 'string' } } };
    expect((await call('shaped', { input: { text: 'a' }, output: right })).status).toBe(200);
    const schema = await call('shaped', { input: { text: 'a' }, output: { type: 'object', $ref: '#' } });
    expect(schema.json).toMatchObject({ code: 'schema_invalid', errors: [{ pointer: '/output/$ref' }] });
  });

  it('a model answers a call with a declared output if no function is stored for it', async () => {
    const { status, json } = await call('whereIs', { input: { thing: 'tower' }, output: place });
    expect(status).toBe(200);
    expect(json).toMatchObject({
      source: 'generated',
      functionId: null,
      executionId: null,
      output: { city: '{"thing":"tower"}' },
      model: 'test/large',
      promptTokens: 6,
      totalTokens: 8,
    });
    const unknown = await call('whereIs', { output: place, model: 'test/none' });
    expect(unknown.json).toMatchObject({ status: 404, code: 'model_not_found' });
  });

  it('a call of a name similar to a stored one gets a warning, in the response and in the log', async () => {
    await create({ name: 'Book a Table' });
    const { json } = await call('bookTable', { input: {}, output: place });
    const warning =
      'no function is stored under the name "bookTable", so a model answered; did you mean "Book a Table"?';
    expect(json).toMatchObject({ source: 'generated', warnings: [warning] });
    const named = (entry: object) => (entry as { callId?: unknown }).callId === json.id;
    expect(test.log.filter(named)).toMatchObject([{ level: 'warn', name: 'bookTable', nearest: 'Book a Table' }]);
    expect((await call('fly', { input: {}, output: place })).json).toMatchObject({ source: 'generated', warnings: [] });
  });

  it('a misspelled name is refused with a hint to the similar name', async () => {
    await create({ name: 'Translate Text' });
    const { json } = await call('translateTxt', { input: {} });
    expect(json).toMatchObject({ status: 404, code: 'function_not_found', nearest: ['Translate Text'] });
    expect(json.detail).toContain('did you mean "Translate Text"?');
    expect((await call('x'.repeat(3_000), { input: {} })).json).toMatchObject({ code: 'function_not_found' });
    expect((await call('constructor', { input: {} })).json).toMatchObject({ code: 'function_not_found' });
  });

  it('a model answers calls of a function without code, and the call may name it', async () => {
    const { code: _, ...rest } = sample;
    await create({ ...rest, code: '', name: 'Locate', output: place, settings: { model: 'test/org/small' } });
    const { json } = await call('locate', { input: { text: 'a' }, model: 'test/large' });
    expect(json).toMatchObject({ source: 'stored', model: 'test/large', output: { city: expect.any(String) } });
    const execution = await client.send('GET', `/executions/${json.executionId}`);
    expect(execution.json).toMatchObject({ usage: { model: 'test/large', settingsVersion: 1, totalTokens: 8 } });
    // The small model only repeats its prompt, in capitals.
    const small = await call('locate', { input: { text: 'a' } });
    expect(small.json).toMatchObject({ status: 422, code: 'function_output_invalid' });
    expect(small.json.execution).toMatchObject({ status: 'failed', error: { code: 'output_invalid' } });
  });

  it('a cached answer is counted as cached', async () => {
    const { code: _, ...rest } = sample;
    await create({ ...rest, code: '', name: 'Kept', output: place, settings: { cacheSeconds: 60 } });
    const cached = async () => (await client.send('GET', '/usage')).json.total.cachedCalls;
    const before = await cached();
    const sources: string[] = [];
    for (let count = 0; count < 3; count += 1) sources.push((await call('kept', { input: { text: 'a' } })).json.source);
    expect(sources).toEqual(['stored', 'cache', 'cache']);
    expect(await cached()).toBe(before + 2);
    const groups = (await client.send('GET', '/usage?groupBy=outcome')).json.data;
    expect(groups).toContainEqual(expect.objectContaining({ group: 'cached', modelCalls: 0, failures: 0, cost: null }));
  });

  it('a call controls its use of the cache, and its metadata is logged', async () => {
    const { status } = await call('whereIs', { output: place, cache: 'reload', metadata: { page: 'home' } });
    expect(status).toBe(200);
    expect((await call('whereIs', { output: place, cache: 'never' })).json).toMatchObject({
      code: 'invalid_request',
      errors: [{ pointer: '/cache' }],
    });
    const tooMany = Object.fromEntries(Array.from({ length: 17 }, (_, index) => [`name${index}`, 'a']));
    for (const metadata of [{ page: 1 }, tooMany, { page: 'a'.repeat(513) }, { ['a'.repeat(65)]: 'a' }]) {
      expect((await call('whereIs', { output: place, metadata })).json).toMatchObject({ code: 'invalid_request' });
    }
  });

  it('a call streams when the request asks for it', async () => {
    const answer = await client.send('POST', '/call/whereIs', { body: { output: place, stream: true } });
    expect(answer.headers.get('content-type')).toContain('text/event-stream');
    expect(answer.text).toMatch(
      /^event: start\ndata: .*\n\nevent: delta\ndata: \{"output":\{"city":"\{\}"\}\}\n\nevent: done\ndata: \{.*"source":"generated"/,
    );
    await create({ name: 'in code' });
    const ofCode = await client.send('POST', '/call/inCode', { body: { input: { text: 'a' }, stream: true } });
    expect(ofCode.text).toMatch(/^event: start\ndata: .*\n\nevent: done\ndata: \{.*"source":"stored"/);
    const refused = await client.send('POST', '/call/inCode', { body: { input: {}, stream: true } });
    expect(refused.json).toMatchObject({ status: 422, code: 'input_invalid' });
  });

  it('a call requires functions:execute and finds functions of its tenant only', async () => {
    await create({ name: 'mine' });
    expect((await call('mine', { input: { text: 'a' } }, 'reader')).json).toMatchObject({ code: 'insufficient_scope' });
    expect((await call('mine', { input: { text: 'a' } }, 'stranger')).json).toMatchObject({
      code: 'function_not_found',
      nearest: [],
    });
  });
});
