import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { beforeAll, describe, expect, it } from 'vitest';
import { echo } from '../driver/sample-functions.ts';
import { sandboxProcessIds } from '../driver/sandbox-processes.ts';
import { adminKey } from '../driver/server-process.ts';
import { useServerHere } from '../driver/use-server-here.ts';
import { commandFor, type McpClient, mcpClients } from './mcp-client.ts';

// Published clients, unchanged: functions are their tools.

const config = `patchbay: 1
storage: { use: "@patchbay/store-sqlite", with: { file: ./patchbay.db } }
executor: { use: "@patchbay/executor-deno", with: { spares: 1 } }
authenticators: { keys: { use: "@patchbay/auth-api-key" } }
executions: { outputBytes: 4194304 }
`;
const server = useServerHere({ config, hasSandboxes: true });

const text = { type: 'object', properties: { text: { type: 'string' } }, required: ['text'] } as const;

const functions = [
  {
    ...echo,
    name: 'Shout',
    description: 'In capitals',
    input: text,
    output: text,
    code: 'export default ({ text }) => ({ text: text.toUpperCase() })',
  },
  {
    ...echo,
    name: 'Fail',
    code: 'export default () => { console.log("before"); throw new Error("no such customer") }',
  },
  { ...echo, name: 'Large', code: 'export default () => ({ text: "x".repeat(2_000_000) })' },
  { ...echo, name: 'Wait', code: 'export default () => new Promise((resolve) => setTimeout(resolve, 60_000))' },
  {
    ...echo,
    name: 'Count',
    code: 'export default async function* ({ n }) { for (let i = 0; i < n; i++) yield { i }; }',
  },
  { ...echo, name: 'Hidden', settings: { mcp: { expose: false } } },
];

beforeAll(async () => {
  for (const each of functions) await server.ask('POST', '/functions', each);
});

describe.each(mcpClients)('%s', (name, connect) => {
  let client: McpClient;
  beforeAll(async () => {
    client = await connect(`${server.running.url}/mcp`);
    return () => client.close();
  });

  it('lists the exposed functions with their schemas, the oldest first', async () => {
    const { tools } = await client.listTools();
    expect(tools.map(({ name }) => name)).toEqual(['shout', 'fail', 'large', 'wait', 'count']);
    expect(tools[0]).toMatchObject({
      title: 'Shout',
      description: 'In capitals',
      inputSchema: text,
      outputSchema: text,
      annotations: { readOnlyHint: true },
    });
  });

  it('returns the output of a function, as structure and as text', async () => {
    const result = await client.callTool('shout', { text: 'hello' });
    expect(result.isError ?? false).toBe(false);
    expect(result.structuredContent).toEqual({ text: 'HELLO' });
    expect(JSON.parse(result.content[0]?.text ?? '')).toEqual({ text: 'HELLO' });
  });

  it('hears of each output of a generator as progress', async () => {
    const seen: unknown[] = [];
    const onprogress = ({
      progress,
      message = '',
    }: {
      readonly progress: number;
      readonly message?: string | undefined;
    }) => seen.push([progress, JSON.parse(message)]);
    const { structuredContent } = await client.callTool('count', { n: 200 }, { onprogress });
    expect(structuredContent).toEqual({ i: 199 });
    const all = Array.from({ length: 200 }, (_, i) => [i + 1, { i }]);
    // Over pipes, both SDKs forget a call with its result, before the notifications that they read together with it.
    expect(seen).toEqual(name.endsWith('stdio') ? all.slice(0, seen.length) : all);
    expect((await client.callTool('count', { n: 3 })).structuredContent).toEqual({ i: 2 });
  });

  it('shows a model what is wrong with its input', async () => {
    const { isError, content } = await client.callTool('shout', { text: 7 });
    expect(isError).toBe(true);
    expect(JSON.parse(content[0]?.text ?? '')).toMatchObject({
      code: 'input_invalid',
      errors: [{ pointer: '/text', detail: expect.stringContaining('string') }],
    });
  });

  it('shows why code has failed, with what it has logged', async () => {
    const { isError, content } = await client.callTool('fail', {});
    expect(isError).toBe(true);
    expect(JSON.parse(content[0]?.text ?? '')).toMatchObject({
      code: 'function_failed',
      message: expect.stringContaining('no such customer'),
      logs: [{ message: 'before' }],
    });
  });

  it('returns a result of 2 MB', async () => {
    const { structuredContent } = await client.callTool('large', {});
    expect(structuredContent).toEqual({ text: 'x'.repeat(2_000_000) });
  });

  it.each(['missing', 'hidden', `hidden_${'0'.repeat(26)}`])('knows no tool %s', async (name) => {
    await expect(client.callTool(name, {})).rejects.toMatchObject({ code: -32_602 });
  });

  it('ends the process of a call that is cancelled', async () => {
    const cancel = new AbortController();
    const waiting = async () =>
      (await server.ask('GET', '/executions?status=running')).body['data'] as readonly object[];
    const processes = () => sandboxProcessIds(server.running.data);
    // With one spare process, the call has that one.
    await expect.poll(processes).not.toEqual([]);
    const before = processes();
    const call = client.callTool('wait', {}, { signal: cancel.signal });
    call.catch(() => undefined);
    await expect.poll(waiting).toHaveLength(1);
    const own = processes().filter((id) => before.includes(id));
    expect(own).not.toEqual([]);
    cancel.abort();
    await expect(call).rejects.toThrow(/abort|cancel/i);
    await expect.poll(waiting).toHaveLength(0);
    const { body } = await server.ask('GET', '/executions?status=cancelled&limit=1');
    expect(body['data']).toMatchObject([{ status: 'cancelled' }]);
    await expect.poll(() => processes().filter((id) => own.includes(id))).toEqual([]);
  });
});

it('stdio has each output of a generator as progress, before the result', async () => {
  const { command, args, env } = commandFor(`${server.running.url}/mcp`, adminKey);
  const bridge = spawn(command, args, { env, stdio: ['pipe', 'pipe', 'ignore'] });
  const _meta = {
    progressToken: 7,
    'io.modelcontextprotocol/protocolVersion': '2026-07-28',
    'io.modelcontextprotocol/clientInfo': { name: 'test', version: '1.0.0' },
    'io.modelcontextprotocol/clientCapabilities': {},
  };
  const params = { name: 'count', arguments: { n: 200 }, _meta };
  bridge.stdin.write(`${JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/call', params })}\n`);
  const messages: unknown[] = [];
  for await (const line of createInterface({ input: bridge.stdout })) {
    const { method, params: notified, id, result } = JSON.parse(line);
    messages.push(id === undefined ? [method, notified.progress, JSON.parse(notified.message)] : result);
    if (id === 1) break;
  }
  expect(messages.pop()).toMatchObject({ structuredContent: { i: 199 } });
  expect(messages).toEqual(Array.from({ length: 200 }, (_, i) => ['notifications/progress', i + 1, { i }]));
  bridge.stdin.end();
  expect(await once(bridge, 'exit')).toEqual([0, null]);
});
