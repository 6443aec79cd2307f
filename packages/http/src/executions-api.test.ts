import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createTestApp, sample, type TestApp } from './fixtures/test-app.ts';
import { type Client, transportsOfServices } from './fixtures/transports.ts';

describe.each(transportsOfServices)('executions over %s', (_name, open) => {
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

  const create = async (code: string): Promise<string> =>
    (await client.send('POST', '/functions', { body: { ...sample, code } })).json.id;

  it('return a completed execution, which can be read again', async () => {
    const id = await create('echo');
    const { status, json } = await client.send('POST', `/functions/${id}/execute`, { body: { input: { text: 'a' } } });
    expect(status).toBe(200);
    expect(json).toMatchObject({ functionId: id, status: 'completed', input: { text: 'a' }, functionVersion: 1 });
    expect(json.effectiveInput).toEqual({ text: 'a', maxPoints: 5 });
    expect(json.output).toEqual({ text: 'a', maxPoints: 5 });
    expect(json.id).toMatch(/^execution_/);
    expect(json).not.toHaveProperty('error');
    expect((await client.send('GET', `/executions/${json.id}`)).json).toEqual(json);
    expect((await client.send('GET', `/executions/${json.id}`, { as: 'stranger' })).json.code).toBe(
      'execution_not_found',
    );
    const list = await client.send('GET', `/functions/${id}/executions`);
    expect(list.json.meta).toEqual({ total: 1, limit: 20, offset: 0 });
    expect(list.json.data).toMatchObject([{ id: json.id, status: 'completed' }]);
    expect(list.json.data[0]).not.toHaveProperty('input');
  });

  it('respond to a failed run with 422 and the whole execution', async () => {
    const id = await create('fail');
    const { json } = await client.send('POST', `/functions/${id}/execute`, { body: { input: { text: 'a' } } });
    expect(json).toMatchObject({
      status: 422,
      code: 'function_failed',
      execution: { functionId: id, status: 'failed' },
    });
    expect(Object.keys(json).indexOf('type')).toBe(0);
    expect((await client.send('GET', `/executions/${json.execution.id}`)).json).toEqual(json.execution);
  });

  it('a failure of the host is logged and not disclosed', async () => {
    const id = await create('crash');
    const answer = await client.send('POST', `/functions/${id}/execute`, { body: { input: { text: 'a' } } });
    expect(answer.json).toMatchObject({ status: 500, code: 'internal_error' });
    expect(answer.text).not.toContain('secret of the host');
    const entry = test.log.find(({ level, requestId }) => level === 'error' && requestId === answer.json.requestId);
    expect(String(entry?.['error'])).toContain('secret of the host');
  });

  it('point to the invalid part of an input', async () => {
    const id = await create('echo');
    const execute = (body: unknown) => client.send('POST', `/functions/${id}/execute`, { body });
    expect((await execute({ input: {} })).json).toMatchObject({
      code: 'input_invalid',
      errors: [{ pointer: '/input/text' }],
    });
    expect((await execute({})).json).toMatchObject({ code: 'invalid_request', errors: [{ pointer: '/input' }] });
    expect((await execute({ input: [] })).json).toMatchObject({
      code: 'invalid_request',
      errors: [{ pointer: '/input' }],
    });
    expect((await execute({ inputs: {} })).json.errors[1].detail).toContain('did you mean "input"?');
  });

  it('treat __proto__ and constructor as plain data', async () => {
    const id = await create('echo');
    const raw = '{"input":{"text":"a","__proto__":{"polluted":1},"constructor":{"prototype":{"polluted":1}}}}';
    const { text } = await client.send('POST', `/functions/${id}/execute`, { raw });
    expect(text).toContain('"__proto__":{"polluted":1},"constructor":{"prototype":{"polluted":1}}');
    expect(({} as { polluted?: number }).polluted).toBeUndefined();
  });

  it('run a function that is not stored, and report the faults of both the function and the input', async () => {
    const { name: _name, description: _description, ...source } = { ...sample, code: 'echo' };
    const test = (body: unknown) => client.send('POST', '/functions/test', { body });
    const before = (await client.send('GET', '/functions')).json.meta.total;
    const { status, json } = await test({ function: source, input: { text: 'a' } });
    expect(status).toBe(200);
    expect(json).toMatchObject({
      status: 'completed',
      input: { text: 'a' },
      output: { text: 'a', maxPoints: 5 },
      logs: [],
    });
    for (const field of ['id', 'functionId', 'functionVersion']) expect(json).not.toHaveProperty(field);
    expect((await client.send('GET', '/functions')).json.meta.total).toBe(before);

    expect((await test({ function: { ...source, code: 'fail' }, input: { text: 'a' } })).json).toMatchObject({
      code: 'function_failed',
      execution: { status: 'failed', error: { code: 'function_threw' } },
    });
    expect((await test({ function: source, input: {} })).json).toMatchObject({
      code: 'input_invalid',
      errors: [{ pointer: '/input/text' }],
    });
    const schema = { type: 'object', properties: { a: { type: 'strin' } } };
    expect((await test({ function: { ...source, output: schema }, input: { text: 'a' } })).json).toMatchObject({
      code: 'schema_invalid',
      errors: [{ pointer: '/function/output/properties/a/type' }],
    });
    expect((await test({ function: { ...source, name: 'x' }, input: {} })).json).toMatchObject({
      code: 'invalid_request',
      errors: [{ pointer: '/function/name' }],
    });
    expect((await test({ function: source })).json).toMatchObject({
      errors: [{ pointer: '/input', code: 'required' }],
    });
  });

  it('treat /functions/test as an id for methods other than POST', async () => {
    expect((await client.send('GET', '/functions/test')).json.code).toBe('function_not_found');
    expect((await client.send('DELETE', '/functions/test')).json.code).toBe('function_not_found');
    const { status, headers } = await client.send('PATCH', '/functions/test');
    expect([status, headers.get('allow')?.split(', ').toSorted()]).toEqual([
      405,
      ['DELETE', 'GET', 'HEAD', 'POST', 'PUT'],
    ]);
  });

  it('a queued execution runs later, and can be cancelled', async () => {
    const execute = async (code: string, prefer: string) =>
      await client.send('POST', `/functions/${await create(code)}/execute`, {
        body: { input: { text: 'a' } },
        headers: { prefer },
      });
    const { status, headers, json } = await execute('wait', 'handling=lenient, Respond-Async');
    expect([status, headers.get('preference-applied'), headers.get('location')]).toEqual([
      202,
      'respond-async',
      `/executions/${json.id}`,
    ]);
    expect(json.status).toBe('queued');
    const get = async () => (await client.send('GET', `/executions/${json.id}`)).json.status;
    await expect.poll(get).toBe('running');
    expect((await client.send('DELETE', `/executions/${json.id}`, { as: 'reader' })).status).toBe(403);
    expect((await client.send('DELETE', `/executions/${json.id}`, { as: 'stranger' })).status).toBe(404);
    expect((await client.send('DELETE', `/executions/${json.id}`)).json.status).toBe('cancelled');
    expect(await get()).toBe('cancelled');
    const sync = await execute('echo', 'wait=5, return=minimal');
    expect([sync.status, sync.headers.get('preference-applied')]).toEqual([200, null]);
    expect((await client.send('DELETE', `/executions/${sync.json.id}`)).json.code).toBe('conflict');
  });

  it('stream the logs of an execution from any position', async () => {
    const id = await create('log');
    const { json } = await client.send('POST', `/functions/${id}/execute`, { body: { input: { text: 'a' } } });
    expect(json.logs).toHaveLength(2);
    const path = `/executions/${json.id}/logs`;
    const read = (headers: Record<string, string> = {}) => client.send('GET', path, { headers });
    const [one, two] = json.logs.map((line: object) => JSON.stringify(line));
    const end = 'id: end\nevent: end\ndata: {"status":"completed"}\n\n';
    const { headers, text } = await read();
    expect(headers.get('content-type')).toBe('text/event-stream');
    expect(text).toBe(
      `: following\n\nid: 1-1\nevent: log\ndata: ${one}\n\nid: 1-2\nevent: log\ndata: ${two}\n\n${end}`,
    );
    expect((await read({ 'last-event-id': '1-1' })).text).toBe(
      `: following\n\nid: 1-2\nevent: log\ndata: ${two}\n\n${end}`,
    );
    expect((await read({ 'last-event-id': '' })).text).toBe(text);
    const nothing = await read({ 'last-event-id': 'end' });
    expect([nothing.status, nothing.text]).toEqual([204, '']);
    for (const wrong of ['x', '1', '0-1', '1-x', '1-1-1', '-1']) {
      expect((await read({ 'last-event-id': wrong })).json.code, wrong).toBe('invalid_request');
    }
    expect((await read({ accept: 'application/json' })).json).toEqual({ status: 'completed', data: json.logs });
    const head = await client.send('HEAD', path);
    expect([head.status, head.text]).toEqual([200, '']);
    expect((await client.send('GET', '/executions/execution_x/logs')).json.code).toBe('execution_not_found');
    expect((await client.send('GET', path, { as: 'stranger' })).json.code).toBe('execution_not_found');
  });

  it('of all functions are listed by status', async () => {
    const before = (await client.send('GET', '/executions')).json.meta.total;
    const ids = [];
    for (const code of ['echo', 'fail', 'echo']) {
      const { json } = await client.send('POST', `/functions/${await create(code)}/execute`, {
        body: { input: { text: 'a' } },
      });
      ids.unshift((json.execution ?? json).id);
    }
    const all = await client.send('GET', '/executions?limit=3');
    expect(all.json.data.map(({ id }: { id: string }) => id)).toEqual(ids);
    expect(all.json.meta.total).toBe(before + 3);
    const failed = await client.send('GET', '/executions?status=failed&limit=1');
    expect(failed.json.data).toMatchObject([{ id: ids[1], status: 'failed' }]);
    expect((await client.send('GET', '/executions?status=done')).json.errors).toMatchObject([{ pointer: '?status' }]);
    expect((await client.send('GET', '/executions', { as: 'stranger' })).json.meta.total).toBe(0);
    const next = await client.send('GET', `/executions?limit=1&cursor=${all.json.meta.nextCursor}`);
    expect(next.status).toBe(200);
    expect(next.json.data).not.toMatchObject([{ id: ids[2] }]);
  });
});
