import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { scriptedProvider } from './fixtures/scripted-provider.ts';
import { createTestApp, sample, type TestApp } from './fixtures/test-app.ts';
import { type Client, transportsOfServices } from './fixtures/transports.ts';

const place = { type: 'object', properties: { city: { type: 'string' } }, required: ['city'] } as const;

describe.each(transportsOfServices)('observed names over %s', (_name, open) => {
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

  const call = (name: string, body: object) => client.send('POST', `/call/${encodeURIComponent(name)}`, { body });
  const observed = async (name: string, as?: 'stranger') => {
    const { json } = await client.send('GET', '/observed-names?limit=100', as ? { as } : {});
    return json.data.find((entry: { name: string }) => entry.name === name);
  };

  it('an observed name has the types of its inputs and no values, whether a model answered or not', async () => {
    await call('locate', { input: { thing: 'a secret thing', near: 3 } });
    await call('locate', { input: { thing: 'tower', near: 1.5, exact: null }, output: place });
    const entry = await observed('locate');
    expect(entry).toEqual({
      id: expect.stringMatching(/^observed_name_[0-9a-z]{26}$/),
      name: 'locate',
      count: 2,
      refused: 1,
      firstSeenAt: expect.any(String),
      lastSeenAt: expect.any(String),
      input: {
        thing: { types: ['string'], count: 2 },
        near: { types: ['number'], count: 2 },
        exact: { types: ['null'], count: 1 },
      },
      output: place,
    });
    expect(JSON.stringify(entry)).not.toContain('secret');
  });

  it('exclude stored functions and invalid names', async () => {
    await client.send('POST', '/functions', { body: { ...sample, name: 'Stored One' } });
    await call('storedOne', { input: { text: 'a' } });
    await call('x'.repeat(201), { input: {} });
    await call('a\tb', { input: {} });
    const { json } = await client.send('GET', '/observed-names?limit=100');
    const names = json.data.map((entry: { name: string }) => entry.name);
    expect(names.filter((name: string) => name !== 'locate')).toEqual([]);
  });

  it('become functions that later calls find', async () => {
    for (const near of [1, 2]) await call('find it', { input: { thing: 'a', near }, output: place });
    await call('find it', { input: { thing: null }, output: place });
    const { id } = await observed('find it');
    const made = await client.send('POST', `/observed-names/${id}/promote`);
    expect(made.status).toBe(201);
    expect(made.headers.get('location')).toBe(`/functions/${made.json.id}`);
    expect(made.json).toMatchObject({
      name: 'find it',
      code: '',
      input: {
        type: 'object',
        properties: { thing: { type: ['null', 'string'] }, near: { type: 'integer' } },
        required: ['thing'],
      },
      output: place,
    });
    const { json } = await call('findIt', { input: { thing: 'tower' } });
    expect(json).toMatchObject({ source: 'stored', functionId: made.json.id });
    expect(await observed('find it')).toBeUndefined();
    const again = await client.send('POST', `/observed-names/${id}/promote`);
    expect(again.json).toMatchObject({ status: 404, code: 'observed_name_not_found' });
  });

  it('become functions that take every input that was observed', async () => {
    const inputs: readonly object[] = [
      { list: [1, 'a', null], deep: { a: { b: 1 } }, flag: true, 'a "b" / ~c': 'x', constructor: 1, toString: null },
      { list: [], deep: {}, flag: 'no', 'a "b" / ~c': 1.5, constructor: 1, more: [[]] },
    ];
    for (const input of inputs) await call('mixed', { input, output: place });
    const { id } = await observed('mixed');
    const made = await client.send('POST', `/observed-names/${id}/promote`);
    expect(made.status).toBe(201);
    expect(made.json.input.required).toEqual(['list', 'deep', 'flag', 'a "b" / ~c', 'constructor']);
    for (const input of inputs) {
      expect((await call('mixed', { input })).json).toMatchObject({ source: 'stored', functionId: made.json.id });
    }
    expect((await call('mixed', { input: { list: [] } })).json).toMatchObject({ code: 'input_invalid' });
  });

  it('promote once under concurrency, and never over an existing function', async () => {
    await call('twice', { input: {} });
    const { id } = await observed('twice');
    const all = await Promise.all([1, 2, 3].map(() => client.send('POST', `/observed-names/${id}/promote`)));
    expect(all.filter(({ status }) => status === 201)).toHaveLength(1);
    expect(all.every(({ status }) => [201, 404, 409].includes(status))).toBe(true);
    expect(all.find(({ status }) => status === 201)?.json.output.required).toEqual(['result']);

    await call('taken', { input: {} });
    const taken = await observed('taken');
    await client.send('POST', '/functions', { body: { ...sample, name: 'taken' } });
    const refused = await client.send('POST', `/observed-names/${taken.id}/promote`);
    expect(refused.json).toMatchObject({ status: 409, code: 'conflict' });
    expect((await client.send('DELETE', `/observed-names/${taken.id}`)).json).toMatchObject({ success: true });
    expect((await client.send('DELETE', `/observed-names/${taken.id}`)).status).toBe(404);
  });

  it('stay within their tenant', async () => {
    await call('mine', { input: {} });
    const { id } = await observed('mine');
    expect(await observed('mine', 'stranger')).toBeUndefined();
    for (const [method, path] of [
      ['DELETE', `/observed-names/${id}`],
      ['POST', `/observed-names/${id}/promote`],
    ] as const) {
      const answer = await client.send(method, path, { as: 'stranger' });
      expect(answer.json).toMatchObject({ status: 404, code: 'observed_name_not_found' });
      expect((await client.send(method, path, { as: 'reader' })).json).toMatchObject({ code: 'insufficient_scope' });
    }
    expect(await observed('mine')).toMatchObject({ count: 1 });
  });
});
