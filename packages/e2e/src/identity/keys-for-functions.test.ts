import { operations } from '@patchbay/http';
import { beforeAll, describe, expect, it } from 'vitest';
import { echo } from '../driver/sample-functions.ts';
import { useServerHere } from '../driver/use-server-here.ts';

// A key for one function, at every endpoint: the other functions of its tenant are neither found nor shown.

const server = useServerHere();
const hidden = 'Quarterly salaries';

interface Made {
  readonly function: string;
  readonly execution: string;
  readonly feedback: string;
}

let open: Made;
let closed: Made;
let authorization: string;

async function make(name: string): Promise<Made> {
  const { body } = await server.ask('POST', '/functions', { ...echo, name, settings: { model: 'demo/extractive' } });
  const id = String(body['id']);
  const run = await server.ask('POST', `/functions/${id}/execute`, { input: { of: name } });
  const execution = String(run.body['id']);
  const feedback = await server.ask('POST', '/feedback', { target: execution, value: 1 });
  expect(feedback.status).toBe(201);
  return { function: id, execution, feedback: String(feedback.body['id']) };
}

interface Reply {
  readonly status: number;
  readonly text: string;
  readonly body: Readonly<Record<string, unknown>>;
}

async function send(
  method: string,
  path: string,
  body?: unknown,
  headers: Record<string, string> = {},
): Promise<Reply> {
  const response = await fetch(server.running.url + path, {
    method,
    headers: { authorization, ...(body !== undefined && { 'content-type': 'application/json' }), ...headers },
    ...(body !== undefined && { body: JSON.stringify(body) }),
  });
  const text = await response.text();
  const isJson = (response.headers.get('content-type') ?? '').includes('json');
  return { status: response.status, text, body: isJson ? JSON.parse(text) : {} };
}

beforeAll(async () => {
  [open, closed] = [await make('Open to all'), await make(hidden)];
  const { body } = await server.ask('POST', '/keys', { name: 'agent', scopes: ['*'], functions: [open.function] });
  authorization = `Bearer ${String(body['key'])}`;
});

describe('a key with an allow list', () => {
  it('reaches its function as every other key does', async () => {
    const path = `/functions/${open.function}`;
    expect((await send('GET', path)).status).toBe(200);
    expect((await send('GET', `/executions/${open.execution}`)).status).toBe(200);
    expect((await send('GET', `${path}/executions`)).body['meta']).toMatchObject({ total: 1 });
    expect((await send('POST', `${path}/execute`, { input: { a: 1 } })).body['output']).toEqual({ a: 1 });
    expect((await send('POST', '/call/openToAll', { input: { a: 2 } })).body['output']).toEqual({ a: 2 });
    const { body } = await send('GET', '/functions');
    expect(body).toMatchObject({ data: [{ id: open.function }], meta: { total: 1 } });
  });

  it('has a tool for its function only', async () => {
    const message = { jsonrpc: '2.0', id: 1, method: 'tools/list' };
    const headers = { accept: 'application/json, text/event-stream', 'mcp-protocol-version': '2025-11-25' };
    const { text } = await send('POST', '/mcp', message, headers);
    expect([...text.matchAll(/"name":"(\w+)"/g)].map(([, name]) => name)).toEqual(['openToAll']);
    const params = { name: 'quarterlySalaries', arguments: {} };
    const called = await send('POST', '/mcp', { ...message, method: 'tools/call', params }, headers);
    expect(called.text).toContain('-32602');
  });

  it('finds other functions neither by name nor as models', async () => {
    for (const name of ['quarterlySalaries', 'quarterlySalary', hidden]) {
      const called = await send('POST', `/call/${encodeURIComponent(name)}`, { input: {} });
      expect(called).toMatchObject({ status: 404, body: { code: 'function_not_found', nearest: [] } });
      const messages = [{ role: 'user', content: '{}' }];
      const chat = await send('POST', '/chat', { model: `fn/${name}`, messages });
      expect(chat).toMatchObject({ status: 404, body: { code: 'model_not_found' } });
      expect(chat.text).not.toContain('did you mean');
    }
  });

  it('gives and sees feedback about its function only', async () => {
    const other = await server.ask('POST', '/feedback', { target: closed.execution, value: 1 });
    const refused = await send('POST', '/feedback', { target: closed.execution, value: 1 });
    expect(refused).toMatchObject({ status: 404, body: { code: 'feedback_target_not_found' } });
    const { status, body } = await send('POST', '/feedback', { target: open.execution, value: 1 });
    expect([status, body['functionId']]).toEqual([201, open.function]);
    const read = async (id: unknown) => (await send('GET', `/feedback/${String(id)}`)).status;
    expect([await read(body['id']), await read(other.body['id'])]).toEqual([200, 404]);
    expect((await send('GET', `/feedback?functionId=${open.function}`)).body['data']).toEqual([body]);
    for (const query of ['', `?functionId=${closed.function}`]) {
      expect((await send('GET', `/feedback${query}`)).body).toMatchObject({ code: 'insufficient_scope' });
    }
  });

  it('code that it runs calls other functions no more than it does', async () => {
    const code = `export default async (_, context) => await context.functions.call('${hidden}', {})`;
    const caller = { ...echo, name: 'Caller', code };
    const { body } = await server.ask('POST', '/functions', caller);
    const keyed = await server.ask('POST', '/keys', { name: 'x', scopes: ['*'], functions: [body['id']] });
    const headers = { authorization: `Bearer ${String(keyed.body['key'])}` };
    const path = `/functions/${String(body['id'])}/execute`;
    expect((await server.ask('POST', path, { input: {} })).status).toBe(200);
    const refused = await server.ask('POST', path, { input: {} }, headers);
    expect(refused).toMatchObject({ status: 422, body: { code: 'function_failed' } });
    expect(JSON.stringify(refused.body)).toContain('there is no function');
    const later = await server.ask('POST', path, { input: {} }, { ...headers, prefer: 'respond-async' });
    const read = async () => (await server.ask('GET', `/executions/${String(later.body['id'])}`)).body['status'];
    await expect.poll(read).toBe('failed');
  });

  it('makes no keys for more than its functions', async () => {
    const key = { name: 'more', scopes: ['functions:read'] };
    expect((await send('POST', '/keys', key)).body['functions']).toEqual([open.function]);
    const more = await send('POST', '/keys', { ...key, functions: [closed.function] });
    expect(more).toMatchObject({ status: 400, body: { errors: [{ pointer: '/functions/0', code: 'too_much' }] } });
    const everything = await server.ask('POST', '/keys', key);
    // Keys name the functions that they are for.
    for (const path of ['/keys', `/keys/${String(everything.body['id'])}`]) {
      expect(await send('GET', path)).toMatchObject({ status: 403, body: { code: 'insufficient_scope' } });
    }
    const rotated = await send('POST', `/keys/${String(everything.body['id'])}/rotate`);
    expect(rotated).toMatchObject({ status: 403, body: { code: 'insufficient_scope' } });
    const revoked = await send('DELETE', `/keys/${String(everything.body['id'])}`);
    expect(revoked).toMatchObject({ status: 403, body: { code: 'insufficient_scope' } });
    const unknown = await server.ask('POST', '/keys', { ...key, functions: ['function_x'] });
    expect(unknown).toMatchObject({ status: 400, body: { errors: [{ pointer: '/functions/0', code: 'unknown' }] } });
  });
});

describe('with an allow list, another function is', () => {
  const bodies: Readonly<Record<string, unknown>> = {
    replaceFunction: { ...echo, name: 'Mine now' },
    createFunction: { ...echo, name: 'Mine' },
    executeFunction: { input: {} },
    testFunction: { function: { input: {}, output: {}, code: echo.code }, input: {} },
    runProgram: { code: 'return await functions.quarterlySalaries({})' },
    putSettings: { model: 'demo/extractive' },
    moveSettingsLabel: { version: 1 },
    startExperiment: { variants: [1, 2] },
    applyEvidence: { models: [{ model: 'demo/extractive', settingsVersion: 1, scores: [1] }] },
    importDataset: { examples: [{ input: {} }] },
    createWebhook: { url: 'https://hooks.acme.com/', events: ['*'] },
    updateWebhook: { url: 'https://hooks.acme.com/', events: ['*'] },
  };
  const isAbout = ({ path }: { readonly path: string }): boolean =>
    /^\/(functions|executions|calls|feedback|observed-names|webhooks|usage|audit|metrics)/.test(path);

  const idFor = (path: string): string => {
    if (path.startsWith('/feedback')) return closed.feedback;
    return path.startsWith('/executions') ? closed.execution : closed.function;
  };

  it.each(operations.filter(isAbout))('neither found nor shown by $id', async ({ id, method, path, ...row }) => {
    const ids: Readonly<Record<string, string>> = { ':version': '1', ':label': 'production' };
    const own = idFor(path);
    const target = path.replaceAll(/:\w+/g, (name) => ids[name] ?? own);
    const given = id === 'giveFeedback' ? { target: closed.execution, value: 1 } : bodies[id];
    const body = 'body' in row ? (given ?? {}) : undefined;
    const { status, text } = await send(method, target, body);
    expect(text).not.toContain(hidden);
    expect(text).not.toContain(`"functionId":"${closed.function}"`);
    // Its list has only its own, and the compiler knows no other function; whatever else there is, is not for it.
    const expected: Readonly<Record<string, number>> = { listFunctions: 200, runProgram: 422 };
    expect(expected[id] === undefined ? [403, 404] : [expected[id]]).toContain(status);
    expect((await server.ask('GET', `/functions/${closed.function}`)).body).toMatchObject({ name: hidden });
  });
});
