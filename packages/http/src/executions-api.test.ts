import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createTestApp, sample, type TestApp } from './fixtures/test-app.ts';
import { type Client, transports } from './fixtures/transports.ts';

describe.each(transports)('executions over %s', (_name, open) => {
  let test: TestApp;
  let client: Client;
  beforeAll(async () => {
    test = await createTestApp();
    client = await open(test.app);
  });
  afterAll(async () => {
    await client.close();
    await test.app.stop(0);
  });

  const create = async (code: string): Promise<string> =>
    (await client.send('POST', '/functions', { body: { ...sample, code } })).json.id;

  it('answers a completed execution, which can be read again', async () => {
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

  it('answers a failed run with 422 and the whole execution', async () => {
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

  it('tells nobody why the host failed, and logs it', async () => {
    const id = await create('crash');
    const answer = await client.send('POST', `/functions/${id}/execute`, { body: { input: { text: 'a' } } });
    expect(answer.json).toMatchObject({ status: 500, code: 'internal_error' });
    expect(answer.text).not.toContain('secret of the host');
    const entry = test.log.find(({ level, requestId }) => level === 'error' && requestId === answer.json.requestId);
    expect(String(entry?.['error'])).toContain('secret of the host');
  });

  it('says what is wrong with an input', async () => {
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
    expect((await execute({ inputs: {} })).json.errors[1].detail).toContain('did you mean input?');
  });

  it('keeps keys such as __proto__ as plain data', async () => {
    const id = await create('echo');
    const raw = '{"input":{"text":"a","__proto__":{"polluted":1},"constructor":{"prototype":{"polluted":1}}}}';
    const { text } = await client.send('POST', `/functions/${id}/execute`, { raw });
    expect(text).toContain('"__proto__":{"polluted":1},"constructor":{"prototype":{"polluted":1}}');
    expect(({} as { polluted?: number }).polluted).toBeUndefined();
  });
});
