import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { echo } from '../driver/sample-functions.ts';
import { sandboxProcessIds } from '../driver/sandbox-processes.ts';
import { adminKey } from '../driver/server-process.ts';
import { useServerHere } from '../driver/use-server-here.ts';
import { openTaskSession, paramsOf, type RawAnswer, sendMcp, type TaskClient } from './task-session.ts';

// Calls that go on without their client, with the published client and its support of tasks.

const DAY_MS = 86_400_000;

// With one spare process, the next run has that one.
const config = `patchbay: 1
storage: { use: "@patchbay/store-sqlite", with: { file: ./patchbay.db } }
executor: { use: "@patchbay/executor-deno", with: { spares: 1 } }
authenticators: { keys: { use: "@patchbay/auth-api-key" } }
executions: { keepDays: 7 }
functions: { settings: { "Task *": { mcp: { task: true } } } }
`;
const server = useServerHere({ config, hasSandboxes: true });
const ids = new Map<string, string>();

const text = { type: 'object', properties: { text: { type: 'string' } }, required: ['text'] } as const;

const functions = [
  {
    ...echo,
    name: 'Task shout',
    input: text,
    output: text,
    code: 'export default ({ text }) => ({ text: text.toUpperCase() })',
  },
  {
    ...echo,
    name: 'Task fail',
    code: 'export default () => { console.log("before"); throw new Error("no customer") }',
  },
  { ...echo, name: 'Task wait', code: 'export default () => new Promise((resolve) => setTimeout(resolve, 60_000))' },
  { ...echo, name: 'Short' },
];

async function keyWith(body: object): Promise<string> {
  const reply = await server.ask('POST', '/keys', { name: 'agent', scopes: ['functions:execute'], ...body });
  expect(reply.status, JSON.stringify(reply.body)).toBe(201);
  return String(reply.body['key']);
}

const url = (): string => `${server.running.url}/mcp`;

const send = (method: string, params: object, { key = adminKey, knowsTasks = true } = {}): Promise<RawAnswer> =>
  sendMcp(url(), key, { method, params: paramsOf(params, knowsTasks) });

const processes = (): readonly number[] => sandboxProcessIds(server.running.data);

beforeAll(async () => {
  for (const each of functions) {
    const { body } = await server.ask('POST', '/functions', each);
    ids.set(each.name, String(body['id']));
  }
});

describe('a client that knows tasks', () => {
  let agent: TaskClient;
  beforeAll(async () => {
    agent = await openTaskSession(url(), await keyWith({}));
  });
  afterAll(() => agent.close());

  it('ends the process of a task that it cancels', async () => {
    await expect.poll(processes).not.toEqual([]);
    const before = processes();
    const execution = await agent.session.callTool('taskWait', {});
    const taskId = String(execution.handle?.taskId);
    const status = async () => (await server.ask('GET', `/executions/${taskId}`)).body['status'];
    await expect.poll(status).toBe('running');
    const own = processes().filter((id) => before.includes(id));
    expect(own).not.toEqual([]);
    await execution.cancel();
    expect((await execution.result()).status).toBe('cancelled');
    await expect.poll(() => processes().filter((id) => own.includes(id))).toEqual([]);
    expect(await status()).toBe('cancelled');
  });

  it('gets the result of a function as that of a task', async () => {
    const execution = await agent.session.callTool('taskShout', { text: 'hello' });
    expect(execution.kind).toBe('task');
    const { outcome, lastTask } = await execution.settle();
    if (outcome.status === 'failed') throw outcome.error;
    expect(outcome).toMatchObject({ status: 'completed', result: { structuredContent: { text: 'HELLO' } } });
    expect(lastTask).toMatchObject({ status: 'completed', retentionMs: 7 * DAY_MS });
    const { body } = await server.ask('GET', `/executions/${String(lastTask?.taskId)}`);
    expect(body).toMatchObject({ status: 'completed', output: { text: 'HELLO' } });
  });

  it('gets the failure of a function as a result, as without a task', async () => {
    const { outcome } = await (await agent.session.callTool('taskFail', {})).settle();
    expect(outcome).toMatchObject({ status: 'completed', result: { isError: true } });
    const { content } = (outcome as { readonly result: { readonly content: readonly { readonly text: string }[] } })
      .result;
    expect(JSON.parse(content[0]?.text ?? '')).toMatchObject({
      code: 'function_failed',
      message: expect.stringContaining('no customer'),
      logs: [{ message: 'before' }],
      executionId: expect.stringMatching(/^exec/u),
    });
  });

  it('hears of an invalid input at once', async () => {
    const execution = await agent.session.callTool('taskShout', { text: 7 });
    expect(execution.kind).toBe('immediate');
    const { outcome } = await execution.settle();
    expect(outcome).toMatchObject({ result: { isError: true } });
    expect(JSON.stringify(outcome)).toContain('input_invalid');
  });

  it('gets the result of a function that is no task at once', async () => {
    const execution = await agent.session.callTool('short', { text: 'hello' });
    expect(execution.kind).toBe('immediate');
    expect((await execution.settle()).outcome).toMatchObject({ result: { structuredContent: { text: 'hello' } } });
  });
});

describe('a task', () => {
  it('is announced to clients that know tasks only', async () => {
    const extensionsFor = async (knowsTasks: boolean): Promise<unknown> => {
      const { result } = await send('server/discover', {}, { knowsTasks });
      return (result?.['capabilities'] as { readonly extensions?: unknown } | undefined)?.extensions;
    };
    expect(await extensionsFor(true)).toEqual({ 'io.modelcontextprotocol/tasks': {} });
    expect(await extensionsFor(false)).toBeUndefined();
  });

  it('is no answer to a client that knows none', async () => {
    const call = { name: 'taskShout', arguments: { text: 'hello' } };
    const { result } = await send('tools/call', call, { knowsTasks: false });
    expect(result).toMatchObject({ resultType: 'complete', structuredContent: { text: 'HELLO' } });
  });

  it('is stored before its ID is sent, and read as the protocol says', async () => {
    const { result: created } = await send('tools/call', { name: 'taskShout', arguments: { text: 'hello' } });
    expect(created).toMatchObject({ resultType: 'task', status: 'working', ttlMs: 7 * DAY_MS });
    expect(created).not.toHaveProperty('content');
    const { taskId } = created as { readonly taskId: string };
    await expect.poll(async () => (await send('tasks/get', { taskId })).result?.['status']).toBe('completed');
    const { result: done } = await send('tasks/get', { taskId });
    expect(done).toMatchObject({ resultType: 'complete', taskId, result: { structuredContent: { text: 'HELLO' } } });
    // It has ended: cancelling changes nothing, and there is nothing that an update could answer.
    for (const method of ['tasks/cancel', 'tasks/update']) {
      const { result } = await send(method, { taskId, inputResponses: {} });
      expect(result).toMatchObject({ resultType: 'complete' });
    }
    expect((await send('tasks/get', { taskId })).result).toMatchObject({ status: 'completed' });
  });

  it('belongs to the key that has asked for it', async () => {
    const owner = await keyWith({ functions: [ids.get('Task shout')] });
    const call = { name: 'taskShout', arguments: { text: 'mine' } };
    const { result } = await send('tools/call', call, { key: owner });
    const { taskId } = result as { readonly taskId: string };
    const unknown = { error: { code: -32_602, message: expect.stringContaining('not found') } };
    const missing = `${taskId.slice(0, -5)}zzzzz`;
    for (const method of ['tasks/get', 'tasks/update', 'tasks/cancel']) {
      // Not even the administrator's key, which reads it as an execution.
      expect(await send(method, { taskId })).toMatchObject(unknown);
      expect(await send(method, { taskId: missing }, { key: owner })).toMatchObject(unknown);
      expect((await send(method, { taskId }, { key: owner })).result).toBeDefined();
    }
    expect(await send('tools/call', { name: 'taskWait', arguments: {} }, { key: owner })).toMatchObject({
      error: { code: -32_602 },
    });
    const reader = await keyWith({ scopes: ['functions:read'] });
    expect((await send('tasks/get', { taskId }, { key: reader })).status).toBe(403);
  });

  it('is none if its execution was waited for', async () => {
    const { body } = await server.ask('POST', `/functions/${String(ids.get('Short'))}/execute`, {
      input: { text: 'a' },
    });
    expect(await send('tasks/get', { taskId: body['id'] })).toMatchObject({ error: { code: -32_602 } });
  });

  it.each([
    ['tasks/get', { taskId: 'a' }],
    ['tasks/update', { taskId: 'a', inputResponses: {} }],
    ['tasks/cancel', { taskId: 'a' }],
    ['subscriptions/listen', { notifications: { taskIds: ['a'] } }],
  ])('%s of a client that knows none names what it lacks', async (method, params) => {
    expect(await send(method, params, { knowsTasks: false })).toMatchObject({
      status: 400,
      error: {
        code: -32_021,
        data: { requiredCapabilities: { extensions: { 'io.modelcontextprotocol/tasks': {} } } },
      },
    });
  });

  it.each(['tasks/list', 'tasks/result'])('has no method %s', async (method) => {
    expect(await send(method, { taskId: 'a' })).toMatchObject({ error: { code: -32_601 } });
  });
});
