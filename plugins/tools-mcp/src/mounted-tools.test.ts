import { canary } from '@patchbay/canaries';
import type { GrantedScope } from '@patchbay/core/plugin';
import deno from '@patchbay/executor-deno';
import { createFetchHandler } from '@patchbay/http';
import openai from '@patchbay/provider-openai';
import {
  createTestApp,
  startUpstream,
  type TestApp,
  testContext,
  type Upstream,
  upstreamReplies,
} from '@patchbay/testing';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { add, echo, type McpServer, startMcpServer } from './fixtures/start-mcp-server.ts';
import plugin from './index.ts';

const { healthy } = upstreamReplies;

/** Everything over real connections: a server of tools, a model of OpenAI's API, and functions in Deno. */
describe('tools of a mounted server', () => {
  let server: McpServer;
  let upstream: Upstream;
  let test: TestApp;
  let send: (path: string, body: object, scopes?: readonly GrantedScope[]) => Promise<Response>;

  beforeAll(async () => {
    server = await startMcpServer([echo, add]);
    upstream = await startUpstream({ dialect: 'openai' });
    test = await createTestApp({
      executor: { use: deno },
      providers: {
        openai: {
          use: openai,
          with: {
            apiKey: canary('key of openai'),
            baseUrl: upstream.baseUrl,
            models: [{ name: 'm', capabilities: ['chat', 'tools'], pricing: { input: 1, output: 1 } }],
          },
        },
      },
      tools: {
        docs: {
          use: plugin,
          with: {
            url: server.url,
            addresses: ['127.0.0.1'],
            headers: { authorization: `Bearer ${canary('key of tools')}` },
          },
        },
      },
      limits: { key: { budget: { usd: 10, period: 'month' } } },
      functions: { grants: [{ functions: ['granted*'], tenants: ['test'], tools: ['docs.*'] }] },
    });
    const handle = createFetchHandler(test.app);
    send = async (path, body, scopes) =>
      await handle(
        new Request(`http://patchbay.test${path}`, {
          method: 'POST',
          headers: {
            authorization: `Bearer ${test.token(scopes ? { scopes } : {})}`,
            'content-type': 'application/json',
          },
          body: JSON.stringify(body),
        }),
      );
  });
  beforeEach(() => upstream.script(healthy()));
  afterAll(async () => {
    await test?.[Symbol.asyncDispose]();
    await upstream?.stop();
    await server?.stop();
  });

  const runCode = async (name: string, code: string) => {
    const body = { name, description: '', input: { type: 'object' }, output: { type: 'object' }, code };
    const { id } = (await (await send('/functions', body)).json()) as { id: string };
    return (await (await send(`/functions/${id}/execute`, { input: {} })).json()) as Readonly<Record<string, unknown>>;
  };

  it('are called by functions that were granted them', async () => {
    const code = `export default async (_, { tools }) => ({
      text: await tools.docs.echo({ text: 'Hello' }),
      value: await tools.docs.add({ a: 1, b: 2 }),
      invalid: await tools.docs.add({ a: 1 }).catch(({ code, errors }) => ({ code, pointer: errors[0].pointer })),
      missing: await tools.docs.drop().catch(({ code }) => code),
    })`;
    expect(await runCode('granted', code)).toMatchObject({
      output: {
        text: 'Hello',
        value: { sum: 3 },
        invalid: { code: 'input_invalid', pointer: '/input/b' },
        missing: 'tool_not_found',
      },
    });
  });

  it('have their types in TypeScript', async () => {
    const save = async (call: string) => {
      const code = `export default async (_: Input, { tools }: Context) => ({ sum: await tools.${call} })`;
      const schemas = { input: { type: 'object' }, output: { type: 'object' } };
      const response = await send('/functions', { name: 'typed', description: '', code, ...schemas });
      return (await response.json()) as Readonly<Record<string, unknown>>;
    };
    expect(await save('docs.add({ a: 1, b: 2 }).then(({ sum }) => sum.toFixed())')).toHaveProperty('id');
    const refused = (detail: string) => ({
      code: 'code_invalid',
      errors: [{ detail: expect.stringContaining(detail) }],
    });
    expect(await save('docs.add({ a: 1 })')).toMatchObject(refused("Property 'b' is missing"));
    expect(await save('docs.echos({ text: "a" })')).toMatchObject(refused("Did you mean 'echo'?"));
    expect(await save('dcs.add({ a: 1, b: 2 })')).toMatchObject(refused("Did you mean 'docs'?"));
  });

  it('are not called by other functions, nor by a model on their behalf', async () => {
    const code = `export default async (_, { tools, ai }) => ({
      direct: await tools.docs.echo({ text: '' }).catch(({ code }) => code),
      model: await ai.chat({ model: 'openai/m', messages: [{ role: 'user', content: 'Hi' }], tools: ['docs.*'], toolLoop: {} })
        .catch(({ code }) => code),
    })`;
    const before = upstream.requests.length;
    expect(await runCode('other', code)).toMatchObject({
      output: { direct: 'tool_not_found', model: 'tool_not_found' },
    });
    expect(upstream.requests.length).toBe(before);
  });

  it('are called for a model within a chat, and within a chat of a function', async () => {
    upstream.script(
      healthy({ toolCalls: [{ name: 'docs__add', arguments: { a: 20, b: 22 } }] }),
      healthy({ text: 'It is 42.' }),
    );
    const chat = {
      model: 'openai/m',
      messages: [{ role: 'user', content: '20 + 22?' }],
      tools: ['docs.add'],
      toolLoop: {},
    };
    const answer = await send('/chat', chat);
    expect(await answer.json()).toMatchObject({
      message: { content: 'It is 42.' },
      messages: [{ role: 'assistant' }, { role: 'tool', content: '{"sum":42}' }, { role: 'assistant' }],
    });
    upstream.script(
      healthy({ toolCalls: [{ name: 'docs__echo', arguments: { text: 'again' } }] }),
      healthy({ text: 'Done.' }),
    );
    const code = `export default async (_, { ai }) => (await ai.chat(${JSON.stringify({ ...chat, tools: ['docs.*'] })})).message`;
    expect(await runCode('granted-chat', code)).toMatchObject({ output: { content: 'Done.' } });
  });

  it('are shown in the stream of a chat', async () => {
    upstream.script(
      healthy({ toolCalls: [{ name: 'docs__add', arguments: { a: 1, b: 1 } }] }),
      healthy({ text: 'Two.' }),
    );
    const messages = [{ role: 'user', content: '1 + 1?' }];
    const body = { model: 'openai/m', messages, tools: ['docs.add'], toolLoop: { maxSteps: 3 }, stream: true };
    const text = await (await send('/chat', body)).text();
    expect(text).toContain(
      'event: delta\ndata: {"toolResult":{"id":"call_1","name":"docs__add","content":"{\\"sum\\":2}"}}',
    );
    expect(text).toMatch(/event: done\n.*"content":"Two\."/);
  });

  it('are found, declared and called by programs', async () => {
    const { codeMode } = test.app.services;
    const context = testContext();
    expect((await codeMode.search('add', context)).map(({ name }) => name)).toContain('docs.add');
    expect(await codeMode.describe(['docs.add', 'docs.echo'], context)).toContain('"docs.echo"(input: {');
    const { output, calls } = await codeMode.run(
      'const { sum } = await functions["docs.add"]({ a: 1, b: 2 });\nreturn functions["docs.echo"]({ text: "sum " + sum });',
      context,
    );
    expect(output).toEqual({ value: 'sum 3' });
    expect(calls).toMatchObject([{ function: 'docs.add' }, { function: 'docs.echo' }]);
    await expect(codeMode.run('return functions["docs.add"]({ a: "1" });', context)).rejects.toMatchObject({
      code: 'code_invalid',
      errors: expect.arrayContaining([expect.objectContaining({ line: 1 })]),
    });
    const { caller } = context;
    const limited = { ...context, caller: { ...caller, scopes: ['code:run', 'functions:execute'] as const } };
    expect(await codeMode.search('add', limited)).toEqual([]);
    await expect(codeMode.describe(['docs.add'], limited)).rejects.toMatchObject({ code: 'function_not_found' });
  });

  it('are called no more once the budget is used up', async () => {
    const toolCalls = [{ name: 'docs__add', arguments: { a: 1, b: 1 } }];
    upstream.script(healthy({ toolCalls, usage: { outputTokens: 11_000_000 } }), healthy({ text: 'Too late.' }));
    const before = upstream.requests.length;
    const body = { model: 'openai/m', messages: [{ role: 'user', content: 'Hi' }], tools: ['docs.add'], toolLoop: {} };
    const refused = await send('/chat', body, ['gateway:invoke', 'tools:call']);
    expect([refused.status, await refused.json()]).toMatchObject([429, { code: 'quota_exceeded' }]);
    expect(upstream.requests.length).toBe(before + 1);
  });

  it('need the scope of the caller', async () => {
    const body = { model: 'openai/m', messages: [{ role: 'user', content: 'Hi' }], tools: ['docs.*'], toolLoop: {} };
    const refused = await send('/chat', body, ['gateway:invoke']);
    expect([refused.status, await refused.json()]).toMatchObject([
      403,
      { code: 'insufficient_scope', scope: 'tools:call' },
    ]);
  });

  it('show their calls in the metrics, and their server in the health', async () => {
    await runCode(
      'granted-once',
      "export default async (_, { tools }) => ({ text: await tools.docs.echo({ text: '' }) })",
    );
    expect(await test.app.host.metrics()).toMatch(
      /patchbay_tool_duration_seconds_count\{.*server="docs",outcome="completed".*\} \d/,
    );
    expect((await test.app.host.health()).parts['tools.docs']).toEqual({ status: 'pass' });
  });
});
