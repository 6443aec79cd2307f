import type { Principal } from '@patchbay/contracts/context';
import type { ChatDelta, ChatRequest, ToolCall } from '@patchbay/contracts/provider';
import type { CallRecordRow } from '@patchbay/contracts/rows';
import { describe, expect, it } from 'vitest';
import type { ContentRecorder, ContentSource } from '../../call-content/content-recorder.ts';
import { createStoppedClock } from '../../functions/fixtures/function-parts.ts';
import { callerContext } from '../../functions/host-calls/fixtures/calling-app.ts';
import { type ScriptedTool, scriptedTools, search } from '../../tools/fixtures/scripted-tools.ts';
import { createCallRecorder } from '../../usage/call-records.ts';
import { createTestGateway } from '../fixtures/gateway.ts';
import { answer, chatModel, scriptedProvider, usage } from '../fixtures/scripted-provider.ts';
import { createGatewayListener } from '../gateway-listener.ts';
import type { ToolChatInput } from '../gateway-service.ts';
import { withToolLoop } from './with-tool-loop.ts';

/** The calls of each response of the model in turn, or its text. */
type Answers = readonly (string | readonly ToolCall[])[];

const find = (query: unknown, id = 'call_1', name = 'docs__search'): ToolCall => ({
  id,
  name,
  arguments: { query } as ToolCall['arguments'],
});

async function start(answers: Answers, listed: readonly ScriptedTool[] = [search], timeoutMs = 5_000) {
  const next = answers[Symbol.iterator]();
  const turn = () => {
    const value = next.next().value ?? '';
    return typeof value === 'string' ? answer(value) : answer('', { toolCalls: value, finishReason: 'tool-calls' });
  };
  const provider = scriptedProvider([chatModel('m')], {
    chat: turn,
    async *stream(): AsyncGenerator<ChatDelta> {
      const { content, ...end } = turn();
      if (typeof content === 'string') yield { type: 'text', text: content };
      else {
        for (const part of content) {
          if (part.type !== 'tool-call') continue;
          const { type, ...toolCall } = part;
          yield { type, toolCall };
        }
      }
      yield { type: 'finish', ...end };
    },
  });
  const { tools, calls } = scriptedTools(listed, { locked: { tools: { allow: [] } } });
  const recorded: CallRecordRow[] = [];
  const clock = createStoppedClock();
  const contents = new Map<string, ContentSource>();
  const keep: ContentRecorder['keep'] = (_tenant, { id }, source) => void contents.set(id, source);
  const ledger = { recordCall: (_tenant: string, row: CallRecordRow) => void recorded.push(row) };
  const records = createCallRecorder(ledger, clock, { options: () => ({ content: 'full' }), recorder: { keep } });
  const listener = createGatewayListener({ record() {} }, { count() {} }, records);
  const { gateway } = await createTestGateway({ test: provider }, { timeoutMs, listener });
  const loop = withToolLoop(gateway, { tools, clock, timeoutMs, records });
  const chat = (input: Partial<ToolChatInput> = {}, context = callerContext()) =>
    loop.chat({ model: 'test/m', messages: [question], tools: ['docs.search'], toolLoop: {}, ...input }, context);
  return { loop, chat, calls, recorded, contents, requests: provider.requests as readonly ChatRequest[] };
}

const question = { role: 'user', content: 'Where are the cats?' } as const;
async function allOf<T>(events: AsyncIterable<T>): Promise<readonly T[]> {
  const seen: T[] = [];
  for await (const event of events) seen.push(event);
  return seen;
}

const own = { name: 'ask_user', parameters: { type: 'object' } } as const;

describe('a chat with a tool loop', () => {
  it('is recorded as one call, whose steps are the model calls and tool calls', async () => {
    const { chat, recorded } = await start([[find('cats')], 'In the box.']);
    const { id } = await chat();
    const [first, second, whole] = recorded;
    expect(recorded).toHaveLength(3);
    expect(whole).toMatchObject({ id, parentId: null, model: 'test/m', outcome: 'completed', promptTokens: 6 });
    expect(whole?.steps).toEqual([
      { kind: 'call', name: 'test/m', id: first?.id, atMs: 0, durationMs: 0 },
      { kind: 'tool', name: 'docs.search', atMs: 0, durationMs: 0 },
      { kind: 'call', name: 'test/m', id: second?.id, atMs: 0, durationMs: 0 },
    ]);
    expect([first, second]).toEqual([first, second].map(() => expect.objectContaining({ parentId: id, steps: null })));
  });

  it('has its own content, as has each step', async () => {
    const { chat, recorded, contents } = await start([[find('cats')], 'In the box.']);
    await chat();
    const contentOf = async ({ id }: CallRecordRow) => await contents.get(id)?.();
    const [first, second, whole] = await Promise.all(recorded.map(contentOf));
    const called = { parts: [{ type: 'tool-call', name: 'docs__search', arguments: { query: 'cats' } }] };
    const result = { role: 'tool', toolCallId: 'call_1', content: 'found cats' };
    expect(whole).toMatchObject({
      request: { messages: [question], tools: ['docs.search'], toolLoop: {} },
      response: { message: { content: 'In the box.' }, messages: [called, result, { content: 'In the box.' }] },
    });
    expect(first).toMatchObject({ request: { messages: [question] }, response: { message: called } });
    expect(second).toMatchObject({ request: { messages: [question, called, result] } });
  });

  it('calls tools until the model finishes, and adds up its steps', async () => {
    const { chat, calls, requests } = await start([[find('cats')], 'In the box.']);
    const { messages, message, ...rest } = await chat();
    expect(calls).toEqual([{ name: 'search', given: { query: 'cats' } }]);
    expect(requests[0]?.tools).toEqual([
      { name: 'docs__search', description: 'Finds pages.', parameters: search.input },
    ]);
    expect(requests[1]?.messages.slice(1)).toEqual([
      expect.objectContaining({ role: 'assistant' }),
      { role: 'tool', toolCallId: 'call_1', content: 'found cats' },
    ]);
    expect(message).toEqual({ role: 'assistant', content: 'In the box.' });
    expect(messages?.map(({ role }) => role)).toEqual(['assistant', 'tool', 'assistant']);
    const outputTokens = 2 * usage.outputTokens;
    expect(rest).toMatchObject({
      model: 'test/m',
      finishReason: 'stop',
      completionTokens: outputTokens,
      usage: { outputTokens },
    });
  });

  it('returns turns that can be sent back as they are', async () => {
    const { chat, requests } = await start([[find('cats')], 'In the box.', 'Yes.']);
    const { messages = [] } = await chat();
    await chat({ messages: [question, ...messages, { role: 'user', content: 'Sure?' }] });
    expect(requests[2]?.messages.map(({ role }) => role)).toEqual(['user', 'assistant', 'tool', 'assistant', 'user']);
  });

  it.each<[string, Answers[number], string]>([
    ['arguments that do not match', [find(5)], '/input/query must be string'],
    ['a tool that was not named', [find('cats', 'call_1', 'docs__delete')], 'There is no tool "docs__delete".'],
  ])('tells the model about %s', async (_, first, told) => {
    const { chat, calls, requests } = await start([first, 'Sorry.']);
    await chat();
    expect(calls).toEqual([]);
    const result = requests[1]?.messages.at(-1);
    expect(result).toMatchObject({ role: 'tool', isError: true, content: expect.stringContaining(told) });
  });

  it.each<[string, ScriptedTool['run'], string]>([
    ['reports a failure', async () => ({ text: 'no such shelf', isError: true }), 'no such shelf'],
    ['throws', async () => Promise.reject(new Error('with a secret in it')), 'The tool failed.'],
    ['returns nothing', async () => ({ text: '' }), 'The tool returned nothing.'],
  ])('continues when a tool %s', async (_, run, content) => {
    const { chat, requests } = await start([[find('cats')], 'Well.'], [{ ...search, run }]);
    expect((await chat()).message.content).toBe('Well.');
    expect(requests[1]?.messages.at(-1)).toMatchObject({ role: 'tool', content });
  });

  it('leaves calls of the caller’s own tools to the caller, after running those of servers', async () => {
    const { chat, calls } = await start([[find('cats', 'a'), { id: 'b', name: 'ask_user', arguments: {} }]]);
    const { messages, finishReason } = await chat({ tools: ['docs.*', own] });
    expect(finishReason).toBe('tool-calls');
    expect(calls).toHaveLength(1);
    expect(messages).toEqual([
      expect.objectContaining({ role: 'assistant' }),
      { role: 'tool', toolCallId: 'a', content: 'found cats' },
    ]);
  });

  it('ends at its maximum number of steps, and says so', async () => {
    const { chat, requests, calls } = await start(
      Array.from({ length: 9 }, (_, index) => [find('cats', `call_${index}`)]),
    );
    const { warnings, finishReason } = await chat({ toolLoop: { maxSteps: 3 } });
    expect([requests.length, calls.length, finishReason]).toEqual([3, 2, 'tool-calls']);
    expect(warnings).toEqual(['the model still called tools after 3 steps; these calls were not run']);
  });

  it.each<[NonNullable<ToolChatInput['toolChoice']>, ToolChatInput['toolChoice']]>([
    ['required', 'required'],
    [{ name: 'docs.search' }, { name: 'docs__search' }],
  ])('forces a call by %o in its first step only', async (toolChoice, first) => {
    const { chat, requests } = await start([[find('cats')], 'In the box.']);
    await chat({ toolChoice });
    expect(requests.map((request) => request.toolChoice)).toEqual([first, 'auto']);
  });

  it('streams the pieces of all steps, and the results between them', async () => {
    const { loop } = await start([[find('cats')], 'In the box.']);
    const input = { model: 'test/m', messages: [question], tools: ['docs.search'], toolLoop: {} };
    const { events, model } = await loop.streamChat(input, callerContext());
    expect(model).toBe('test/m');
    const seen = await allOf(events);
    expect(seen.slice(0, -1)).toEqual([
      { toolCall: { id: 'call_1', name: 'docs__search', arguments: '{"query":"cats"}' } },
      { toolResult: { id: 'call_1', name: 'docs__search', content: 'found cats' } },
      { delta: 'In the box.' },
    ]);
    expect(seen.at(-1)).toMatchObject({
      done: { message: { content: 'In the box.' }, completionTokens: 2 * usage.outputTokens },
    });
  });

  it('has one deadline for all its steps, which reaches the tool', async () => {
    const isOver = Promise.withResolvers<void>();
    const hanging: ScriptedTool = {
      ...search,
      run: (_, signal) => new Promise(() => signal.addEventListener('abort', () => isOver.resolve())),
    };
    const { chat } = await start([[find('cats')]], [hanging], 100);
    await expect(chat()).rejects.toMatchObject({ code: 'provider_timeout' });
    await isOver.promise;
  });

  it.each<[string, Partial<ToolChatInput>, Principal['scopes'], string, string]>([
    ['names without a loop', { tools: ['docs.search'], toolLoop: undefined as never }, ['*'], 'a', 'invalid_request'],
    ['tools that are not there', { tools: ['docs.delete'] }, ['*'], 'a', 'tool_not_found'],
    ['tools that the tenant may not use', {}, ['*'], 'locked', 'tool_not_found'],
    ['a caller without the scope', {}, ['gateway:invoke'], 'a', 'insufficient_scope'],
  ])('refuses %s before a model is called', async (_, input, scopes, tenant, code) => {
    const { chat, requests } = await start([]);
    await expect(chat(input, callerContext(tenant, scopes))).rejects.toMatchObject({ code });
    expect(requests).toEqual([]);
  });
});

describe('a function call with a tool loop', () => {
  const functions = ['docs.search', own];
  const input = { model: 'test/m', messages: [question], functions, toolLoop: { maxSteps: 2 } };

  it('runs tools of servers until a function of the caller is called', async () => {
    const { loop, calls } = await start([[find('cats')], [{ id: 'b', name: 'ask_user', arguments: { a: 1 } }]]);
    const { functionCall, completionTokens } = await loop.generateFunctionCall(input, callerContext());
    expect(functionCall).toEqual({ name: 'ask_user', arguments: { a: 1 } });
    expect([calls.length, completionTokens]).toEqual([1, 2 * usage.outputTokens]);
  });

  it('offers nothing but the caller’s functions in its last step', async () => {
    const { loop, requests } = await start([[find('cats')], [{ id: 'b', name: 'ask_user', arguments: {} }]]);
    const { events } = await loop.streamFunctionCall(input, callerContext());
    const seen = await allOf(events);
    expect(requests.map(({ tools }) => tools?.map(({ name }) => name))).toEqual([
      ['ask_user', 'docs__search'],
      ['ask_user'],
    ]);
    expect(seen).toContainEqual({ restart: 'the model calls docs__search first' });
    expect(seen.at(-1)).toMatchObject({ done: { functionCall: { name: 'ask_user' } } });
  });

  it('needs a function of the caller', async () => {
    const { loop } = await start([]);
    const given = { ...input, functions: ['docs.search'] };
    await expect(loop.generateFunctionCall(given, callerContext())).rejects.toMatchObject({ code: 'invalid_request' });
  });
});
