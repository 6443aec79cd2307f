import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createTestApp, sample, type TestApp } from './fixtures/test-app.ts';
import { type Client, transportsOfServices } from './fixtures/transports.ts';

describe.each(transportsOfServices)('settings over %s', (_name, open) => {
  let test: TestApp;
  let client: Client;
  beforeAll(async () => {
    test = await createTestApp();
    client = await open(test.app);
  });
  afterAll(async () => {
    await client.close();
    await test.app.host.stop(0);
  });

  const path = async (fields: object = {}) => {
    const { json } = await client.send('POST', '/functions', { body: { ...sample, ...fields } });
    return `/functions/${json.id}/settings`;
  };

  it('are written, read, rolled back and deleted', async () => {
    const settings = await path();
    expect((await client.send('GET', settings)).json).toMatchObject({ status: 404, code: 'settings_not_found' });
    const first = await client.send('PUT', settings, { body: { model: 'a/one', temperature: 0 } });
    expect(first.status).toBe(200);
    expect(first.headers.get('etag')).toBe('"1"');
    expect(Object.keys(first.json)).toEqual([
      'functionId',
      'model',
      'temperature',
      'version',
      'label',
      'updatedAt',
      'updatedBy',
    ]);
    // A response can be sent back unchanged.
    const again = await client.send('PUT', settings, { body: first.json, headers: { 'if-match': '"1"' } });
    expect(again.json).toMatchObject({ model: 'a/one', version: 2, label: 'production' });
    const stale = await client.send('PUT', settings, { body: {}, headers: { 'if-match': '"1"' } });
    expect(stale.json).toMatchObject({ status: 412, code: 'precondition_failed' });

    const versions = await client.send('GET', `${settings}/versions`);
    expect(versions.json).toMatchObject({
      data: [
        { version: 2, labels: ['production'] },
        { version: 1, labels: [] },
      ],
      meta: { total: 2 },
    });
    const moved = await client.send('PUT', `${settings}/labels/production`, { body: { version: 1 } });
    expect(moved.json).toMatchObject({ version: 1, label: 'production' });
    expect((await client.send('GET', settings)).json).toMatchObject({ version: 1 });
    expect((await client.send('GET', `${settings}/labels/production`)).json).toMatchObject({ version: 1 });
    expect((await client.send('GET', `${settings}/versions/2`)).json).toMatchObject({ version: 2 });
    expect((await client.send('GET', `${settings}/explain`)).json.data).toContainEqual({
      name: 'model',
      value: 'a/one',
      source: 'stored production (version 1)',
    });
    expect((await client.send('DELETE', settings)).json).toMatchObject({ success: true });
    expect((await client.send('GET', settings)).status).toBe(404);
  });

  it('are refused with the pointer of each unknown member', async () => {
    const settings = await path();
    const body = { temprature: 1, topP: 3, examples: [{ input: 1 }], prompt: '{{x}}', routing: { speed: 1 } };
    const { json } = await client.send('PUT', settings, { body });
    expect(json).toMatchObject({ status: 400, code: 'invalid_request' });
    const pointers = json.errors.map(({ pointer }: { pointer: string }) => pointer);
    expect(pointers.sort()).toEqual([
      '/examples/0/input',
      '/examples/0/output',
      '/routing/speed',
      '/temprature',
      '/topP',
    ]);
    const template = await client.send('PUT', settings, { body: { prompt: '{{x}}' } });
    expect(template.json.errors).toMatchObject([{ pointer: '/prompt', code: 'unknown_placeholder' }]);
    for (const wrong of ['labels/Production', 'labels/a b', 'versions/0', 'versions/x', 'versions/9']) {
      expect((await client.send('GET', `${settings}/${wrong}`)).json, wrong).toMatchObject({
        code: 'settings_not_found',
      });
    }
    expect((await client.send('PUT', `${settings}/labels/a`, { body: { version: 1 } })).status).toBe(404);
  });

  it('replace the code of a function', async () => {
    const { code, ...rest } = sample;
    const without = await client.send('POST', '/functions', { body: rest });
    expect(without.json).toMatchObject({ status: 400, errors: [{ pointer: '/code', code: 'required' }] });
    const empty = await client.send('POST', '/functions', { body: { ...rest, code: '' } });
    expect(empty.json).toMatchObject({ status: 422, code: 'code_invalid', errors: [{ pointer: '/code' }] });
    const made = await client.send('POST', '/functions', { body: { ...rest, settings: { model: 'a/one' } } });
    expect(made).toMatchObject({ status: 201, json: { code: '' } });
    expect(Object.keys(made.json)).not.toContain('settings');
    const settings = `/functions/${made.json.id}/settings`;
    expect((await client.send('GET', settings)).json).toMatchObject({ model: 'a/one', version: 1 });
    expect((await client.send('DELETE', settings)).json).toMatchObject({ status: 409, code: 'conflict' });
    // A response can be sent back unchanged, and code can replace the model.
    expect((await client.send('PUT', `/functions/${made.json.id}`, { body: made.json })).status).toBe(200);
    expect((await client.send('PUT', `/functions/${made.json.id}`, { body: { ...rest, code } })).status).toBe(200);
  });

  it('require their scopes and stay within their tenant', async () => {
    const settings = await path();
    await client.send('PUT', settings, { body: {} });
    expect((await client.send('GET', settings, { as: 'reader' })).json).toMatchObject({ code: 'insufficient_scope' });
    for (const [method, at, body] of [
      ['GET', settings],
      ['PUT', settings, {}],
      ['DELETE', settings],
      ['GET', `${settings}/versions/1`],
      ['PUT', `${settings}/labels/production`, { version: 1 }],
    ] as const) {
      const answer = await client.send(method, at, { as: 'stranger', ...(body ? { body } : {}) });
      expect(answer.json, `${method} ${at}`).toMatchObject({ status: 404, code: 'function_not_found' });
    }
  });
});
