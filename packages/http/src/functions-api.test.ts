import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createTestApp, sample, type TestApp } from './fixtures/test-app.ts';
import { type Client, transportsOfServices } from './fixtures/transports.ts';

describe.each(transportsOfServices)('functions over %s', (_name, open) => {
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

  const create = async (fields: object = {}) =>
    (await client.send('POST', '/functions', { body: { ...sample, ...fields } })).json;

  it('creates a function with exactly the documented fields', async () => {
    const answer = await client.send('POST', '/functions', { body: sample });
    expect(answer.status).toBe(201);
    const fields = ['id', 'name', 'description', 'input', 'output', 'code', 'createdAt', 'updatedAt'];
    expect(Object.keys(answer.json)).toEqual(fields);
    expect(answer.json).toMatchObject(sample);
    expect(answer.json.id).toMatch(/^function_/);
    expect(answer.json.createdAt).toMatch(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/);
    expect(answer.json.updatedAt).toBe(answer.json.createdAt);
    expect(answer.headers.get('location')).toBe(`/functions/${answer.json.id}`);
    expect(answer.headers.get('etag')).toBe('"1"');
    const { json } = await client.send('GET', answer.headers.get('location') ?? '');
    expect(json).toEqual(answer.json);
  });

  it('lists with exactly five fields for each entry, and meta', async () => {
    const { json } = await client.send('GET', '/functions?limit=1');
    expect(Object.keys(json)).toEqual(['data', 'meta']);
    expect(Object.keys(json.data[0])).toEqual(['id', 'name', 'description', 'createdAt', 'updatedAt']);
    expect(json.meta).toMatchObject({ limit: 1, offset: 0 });
  });

  it('pages by offset and by cursor, without gaps', async () => {
    for (const name of ['b', 'c', 'a']) await create({ name });
    const first = await client.send('GET', '/functions?sort=name&order=desc&limit=2');
    const { total, nextCursor } = first.json.meta;
    expect(first.json.data.map(({ name }: { name: string }) => name)).toEqual(['c', 'b']);
    const second = await client.send('GET', `/functions?sort=name&order=desc&limit=2&cursor=${nextCursor}`);
    const byOffset = await client.send('GET', '/functions?sort=name&order=desc&limit=2&offset=2');
    expect(second.json.data).toEqual(byOffset.json.data);
    expect(second.json.data[0].name).toBe('a');
    const last = await client.send('GET', `/functions?offset=${total - 1}`);
    expect(last.json.meta).toEqual({ total, limit: 20, offset: total - 1 });
    const both = await client.send('GET', `/functions?sort=name&order=desc&offset=1&cursor=${nextCursor}`);
    expect(both.json.errors).toMatchObject([{ pointer: '?cursor' }]);
    const foreign = await client.send('GET', `/functions?sort=name&order=desc&cursor=${nextCursor}`, {
      as: 'stranger',
    });
    expect(foreign.json).toMatchObject({ status: 400, errors: [{ pointer: '?cursor' }] });
  });

  it('replaces as a whole: createdAt stays, updatedAt moves, and omitted members get their defaults', async () => {
    const before = await create();
    const { description: _, ...rest } = before;
    const answer = await client.send('PUT', `/functions/${before.id}`, { body: { ...rest, name: 'New' } });
    expect(answer.status).toBe(200);
    expect(answer.json).toMatchObject({ id: before.id, name: 'New', description: '', createdAt: before.createdAt });
    expect(answer.json.updatedAt > before.updatedAt).toBe(true);
    expect(answer.headers.get('etag')).toBe('"2"');
  });

  it('ignores members owned by the service in a write, so that a response can be sent back', async () => {
    const before = await create();
    const forged = { ...before, id: 'function_x', createdAt: '1999-01-01T00:00:00.000Z' };
    const { json } = await client.send('PUT', `/functions/${before.id}`, { body: forged });
    expect(json).toMatchObject({ id: before.id, createdAt: before.createdAt });
  });

  it('responds 503 with Retry-After when the executor is busy', async () => {
    const { id } = await create();
    const body = { ...sample, code: 'busy' };
    for (const answer of [
      await client.send('POST', '/functions', { body }),
      await client.send('PUT', `/functions/${id}`, { body }),
    ]) {
      expect(answer.json).toMatchObject({ status: 503, code: 'overloaded', retryable: true });
      expect(answer.headers.get('retry-after')).toBe('1');
    }
  });

  it('deletes a function once', async () => {
    const { id } = await create();
    const answer = await client.send('DELETE', `/functions/${id}`);
    expect(answer.json).toEqual({ success: true, message: `function ${id} was deleted` });
    expect((await client.send('DELETE', `/functions/${id}`)).json).toMatchObject({ code: 'function_not_found' });
    expect((await client.send('GET', `/functions/${id}`)).status).toBe(404);
  });

  it('treats a foreign id exactly like one that does not exist', async () => {
    const { id } = await create();
    const strip = ({ json: { instance: _i, requestId: _r, ...rest } }: { json: Record<string, unknown> }) => rest;
    const calls = [
      ['GET', '', undefined],
      ['PUT', '', sample],
      ['DELETE', '', undefined],
      ['POST', '/execute', { input: { text: '' } }],
      ['GET', '/versions', undefined],
      ['GET', '/versions/1', undefined],
      ['GET', '/executions', undefined],
    ] as const;
    for (const [method, suffix, body] of calls) {
      const foreign = await client.send(method, `/functions/${id}${suffix}`, { as: 'stranger', body });
      const missing = await client.send(method, `/functions/function_none${suffix}`, { as: 'stranger', body });
      expect(foreign.status).toBe(404);
      expect(strip(foreign)).toEqual(strip(missing));
    }
    expect((await client.send('GET', `/functions/${id}`)).status).toBe(200);
  });

  it.each(['%00', '%ZZ', '%ED%A0%80', 'x'.repeat(256), '..%2f..%2fetc'])('responds 404 for id %s', async (id) => {
    const answer = await client.send('GET', `/functions/${id}`);
    expect(answer.json).toMatchObject({ status: 404, code: 'function_not_found' });
  });

  it('reports every fault of a body at once, with pointers and hints', async () => {
    const body = '{"nam":"x","input":[],"output":{"type":"object"},"code":5,"__proto__":{"a":1},"crde":1}';
    const { json } = await client.send('POST', '/functions', { raw: body });
    expect(json).toMatchObject({ status: 400, code: 'invalid_request', retryable: false });
    const faults = json.errors.map(({ pointer, code }: { pointer: string; code: string }) => `${pointer} ${code}`);
    expect(faults.toSorted()).toEqual([
      '/__proto__ unknown_field',
      '/code type',
      '/crde unknown_field',
      '/input type',
      '/nam unknown_field',
      '/name required',
    ]);
    const details = json.errors.map(({ detail }: { detail: string }) => detail).join('\n');
    expect(details).toContain('did you mean "name"?');
    expect(details).toContain('did you mean "code"?');
  });

  it.each([
    ['', 'minLength'],
    ['x'.repeat(201), 'maxLength'],
    ['a\nb', 'pattern'],
    ['a\u0085b', 'pattern'],
  ])('refuses the name %j', async (name, code) => {
    const { json } = await client.send('POST', '/functions', { body: { ...sample, name } });
    expect(json.errors).toMatchObject([{ pointer: '/name', code }]);
  });

  it('accepts a description of up to 10,000 characters', async () => {
    const create = async (length: number) =>
      await client.send('POST', '/functions', { body: { ...sample, description: 'é'.repeat(length) } });
    expect((await create(10_000)).json.description).toHaveLength(10_000);
    expect((await create(10_001)).json.errors).toMatchObject([{ pointer: '/description', code: 'maxLength' }]);
  });

  it.each(['x', 'x'.repeat(200), '  spaces kept ', '日本語 🎉'])('stores the name %j unchanged', async (name) => {
    expect((await create({ name })).name).toBe(name);
  });

  it('leaves checking the content of schemas to the function service', async () => {
    const { json } = await client.send('POST', '/functions', {
      body: { ...sample, input: { type: 'object', $ref: '#' } },
    });
    expect(json).toMatchObject({ status: 422, code: 'schema_invalid', errors: [{ pointer: '/input/$ref' }] });
  });

  it('refuses undocumented queries', async () => {
    const bad = [
      'limit=0',
      'limit=101',
      'limit=+5',
      'limit=1e1',
      'limit=',
      'offset=-1',
      'offset=10001',
      'sort=__proto__',
    ];
    for (const query of [...bad, 'sort=code', 'order=up', 'limit=1&limit=2', 'page=1', '__proto__=1', 'order=%FF']) {
      const { json } = await client.send('GET', `/functions?${query}`);
      const [name] = query.split('=');
      expect(json, query).toMatchObject({ status: 400, code: 'invalid_request', errors: [{ pointer: `?${name}` }] });
    }
    expect((await client.send('GET', '/functions?lmit=5')).json.errors[0].detail).toContain('did you mean "limit"?');
  });

  it('prevents lost updates with ETag and If-Match', async () => {
    const { id } = await create();
    const path = `/functions/${id}`;
    const put = (tag: string) => client.send('PUT', path, { body: sample, headers: { 'if-match': tag } });
    expect((await put('"1"')).headers.get('etag')).toBe('"2"');
    for (const tag of ['"1"', 'W/"2"', '"x"', '"1", "3"'])
      expect((await put(tag)).json.code, tag).toBe('precondition_failed');
    for (const tag of ['2', '"2', '""2""']) expect((await put(tag)).json.code, tag).toBe('invalid_request');
    expect((await put('"1", "2"')).headers.get('etag')).toBe('"3"');
    expect((await put('*')).headers.get('etag')).toBe('"4"');
    const remove = (tag: string) => client.send('DELETE', path, { headers: { 'if-match': tag } });
    expect((await remove('"1"')).status).toBe(412);
    expect((await remove('"4"')).status).toBe(200);
    expect((await put('"4"')).json.code).toBe('function_not_found');
    expect((await put('"a", "b"')).json.code).toBe('function_not_found');
  });

  it('responds 304 to a matching If-None-Match', async () => {
    const { id } = await create();
    const get = (tag: string) => client.send('GET', `/functions/${id}`, { headers: { 'if-none-match': tag } });
    for (const tag of ['"1"', 'W/"1"', '"0", "1"', '*']) {
      const answer = await get(tag);
      expect([answer.status, answer.text, answer.headers.get('etag')], tag).toEqual([304, '', '"1"']);
    }
    expect((await get('"2"')).status).toBe(200);
  });

  it('lists versions and restores them', async () => {
    const { id } = await create();
    await client.send('PUT', `/functions/${id}`, { body: { ...sample, name: 'Second' } });
    const list = await client.send('GET', `/functions/${id}/versions`);
    expect(list.json.data.map(({ version, name }: { version: number; name: string }) => [version, name])).toEqual([
      [2, 'Second'],
      [1, sample.name],
    ]);
    expect((await client.send('GET', `/functions/${id}/versions/1`)).json).toMatchObject({ ...sample, version: 1 });
    for (const version of ['0', '3', '01', '1e0', 'x']) {
      const answer = await client.send('GET', `/functions/${id}/versions/${version}`);
      expect(answer.json.code, version).toBe('version_not_found');
    }
    const restore = (headers = {}, raw?: string) =>
      client.send('POST', `/functions/${id}/versions/1/restore`, { headers, ...(raw !== undefined && { raw }) });
    expect((await restore({ 'if-match': '"1"' })).status).toBe(412);
    const restored = await restore();
    expect(restored.json).toMatchObject(sample);
    expect(restored.headers.get('etag')).toBe('"3"');
    expect((await restore({}, '{}')).status).toBe(200);
    expect((await restore({}, '{"a":1}')).json.errors).toMatchObject([{ pointer: '/a', code: 'unknown_field' }]);
  });
});
