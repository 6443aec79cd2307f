import type { RequestContext } from '@patchbay/contracts/context';
import { definePlugin } from '@patchbay/contracts/define-plugin';
import type { ChatDelta, ChatRequest } from '@patchbay/contracts/provider';
import { describe, expect, it } from 'vitest';
import type { App } from '../../app/app.ts';
import type { AppConfig } from '../../config/app-config.ts';
import { answer, chatModel, scriptedProvider, usage } from '../../gateway/fixtures/scripted-provider.ts';
import type { ChatInput } from '../../gateway/gateway-service.ts';
import { contextOf, summarize } from '../fixtures/function-parts.ts';
import type { FunctionInput } from '../function-service.ts';
import { type Behaviour, callerContext, createCallingApp } from '../host-calls/fixtures/calling-app.ts';

const context = contextOf('a');
const page = { offset: 0, limit: 10, sort: 'createdAt', order: 'asc' } as const;
const text = { type: 'string' } as const;
const upper: Behaviour = async ({ text: given }) => ({ points: [String(given).toUpperCase()] });

type Stream = (request: ChatRequest, signal: AbortSignal) => AsyncIterable<ChatDelta>;

interface Given {
  readonly fields?: Partial<FunctionInput>;
  readonly config?: Partial<AppConfig>;
}

/** An app with the function `Summarize Text`, which a behaviour of the test implements. */
async function setUp(behaviour: Behaviour = upper, { fields, config }: Given = {}) {
  const app = await createCallingApp({ run: behaviour }, config);
  const row = await app.services.functions.create({ ...summarize, code: 'run', ...fields }, context);
  return { app, row };
}

/** The same, which a model implements. */
async function setUpModel(stream?: Stream, given: Given = {}) {
  const model = chatModel('one', { capabilities: ['chat', 'structured-output'] });
  const chat = () => answer('{"points":["short"]}');
  const provider = scriptedProvider([model], { chat, ...(stream && { stream }) });
  const use = definePlugin({
    name: 'test-models',
    kind: 'provider',
    version: 1,
    config: { properties: {} },
    create: () => provider,
  });
  const config = { ...given.config, providers: { a: { use } } };
  const fields = { code: '', settings: {}, ...given.fields };
  return { ...(await setUp(upper, { fields, config })), provider };
}

const say = (content: string): ChatInput['messages'] => [{ role: 'user', content }];
const chatWith = (app: App, input: Partial<ChatInput> = {}, by: RequestContext = context) =>
  app.services.gateway.chat({ model: 'fn/summarizeText', messages: say('{"text":"long"}'), ...input }, by);

async function readStream(app: App, input: Partial<ChatInput> = {}, by: RequestContext = context) {
  const messages = say('{"text":"long"}');
  const { events, ...head } = await app.services.gateway.streamChat(
    { model: 'fn/summarizeText', messages, ...input },
    by,
  );
  const deltas: string[] = [];
  for await (const event of events) {
    if ('done' in event) return { head, deltas, done: event.done };
    if ('delta' in event) deltas.push(event.delta);
  }
  throw new Error('the stream ended without its answer');
}

describe('a function as a model', () => {
  it('its output is the content of the response, and the chat an execution', async () => {
    const { app, row } = await setUp();
    for (const model of ['fn/summarizeText', 'fn/Summarize Text']) {
      expect(await chatWith(app, { model })).toEqual({
        id: expect.stringMatching(/^chat_/),
        model,
        createdAt: expect.any(String),
        route: 'function',
        message: { role: 'assistant', content: '{"points":["LONG"]}' },
        finishReason: 'stop',
        usage: { ...usage, uncachedInputTokens: 0, cacheReadTokens: 0, outputTokens: 0 },
        promptTokens: 0,
        completionTokens: 0,
        totalTokens: 0,
        warnings: [],
      });
    }
    const { rows } = await app.services.executions.listForFunction(row.id, page, context);
    expect(rows.map(({ status }) => status)).toEqual(['completed', 'completed']);
    await app.host.stop(0);
  });

  it('its usage is that of the model that runs it', async () => {
    const { app } = await setUpModel();
    const { message, promptTokens, completionTokens, usage: counts } = await chatWith(app);
    expect([message.content, promptTokens, completionTokens]).toEqual(['{"points":["short"]}', 3, 3]);
    expect(counts).toMatchObject({ uncachedInputTokens: 3, outputTokens: 3 });
    await app.host.stop(0);
  });

  it('its usage is that of the models that its code calls', async () => {
    const { app, row } = await setUp(async (_, call) => {
      await call('ai.chat', { messages: say('a') });
      await call('ai.embed', { text: 'a' });
      return { points: [] };
    });
    const { usage: counts, totalTokens } = await chatWith(app);
    expect([counts.uncachedInputTokens, counts.outputTokens, totalTokens]).toEqual([2, 1, 3]);
    const { rows } = await app.services.executions.listForFunction(row.id, page, context);
    const execution = await app.services.executions.get(rows[0]?.id ?? '', context);
    expect(execution.usage).toEqual({ promptTokens: 2, completionTokens: 1, totalTokens: 3 });
    await app.host.stop(0);
  });

  it.each([
    ['a JSON object', ' {"text": "long", "maxPoints": 1}', { text: 'long', maxPoints: 1 }],
    ['plain text', 'Once upon a time', { text: 'Once upon a time', maxPoints: 5 }],
    ['an object without its properties', '{"story": 1}', { text: '{"story": 1}', maxPoints: 5 }],
    ['a list', '[1]', { text: '[1]', maxPoints: 5 }],
    ['broken JSON', '{"text": "long"', { text: '{"text": "long"', maxPoints: 5 }],
  ])('takes %s where the schema has a single text property', async (_, message, input) => {
    const { app } = await setUp(async (given) => ({ points: [JSON.stringify(given)] }));
    const {
      message: { content },
    } = await chatWith(app, { messages: say(message) });
    expect(JSON.parse(JSON.parse(content).points[0])).toEqual(input);
    await app.host.stop(0);
  });

  it.each([
    ['plain text where several properties are expected', { a: text, b: text }, [], 'hello', /must be a JSON object/],
    [
      'plain text where another property is required',
      { a: text, n: { type: 'integer' } },
      ['n'],
      'hello',
      /JSON object/,
    ],
    ['a list', { a: text, b: text }, [], '[1]', /must be a JSON object/],
    ['a value of another type', { text }, ['text'], '{"text": 1}', /^\/text of the input must be/],
    ['too few properties', { a: text, b: text }, ['a'], '{}', /^\/a of the input/],
  ] as const)('refuses %s with a fault at /messages', async (_, properties, required, message, detail) => {
    const { app, row } = await setUp(upper, {
      fields: { input: { type: 'object', properties, required: [...required] } },
    });
    await expect(chatWith(app, { messages: say(message) })).rejects.toMatchObject({
      code: 'invalid_request',
      errors: [{ pointer: '/messages', detail: expect.stringMatching(detail) }],
    });
    expect((await app.services.executions.listForFunction(row.id, page, context)).rows).toEqual([]);
    await app.host.stop(0);
  });

  it('refuses images, conversations without a user message, and inputs beyond the limit of calls', async () => {
    const { app } = await setUp();
    const picture = { type: 'image', url: 'https://acme.com/a.png' } as const;
    const faultOf = (messages: ChatInput['messages']) => chatWith(app, { messages }).catch((error: unknown) => error);
    const invalid = { code: 'invalid_request', errors: [{ pointer: '/messages' }] };
    expect(await faultOf([{ role: 'user', content: [{ type: 'text', text: 'a' }, picture] }])).toMatchObject(invalid);
    expect(await faultOf([{ role: 'system', content: 'hello' }])).toMatchObject(invalid);
    expect(await faultOf(say('a'.repeat(1_048_577)))).toMatchObject({ code: 'body_too_large' });
    await app.host.stop(0);
  });

  it('takes the last user message, and names what it ignores', async () => {
    const { app } = await setUp();
    const messages = [...say('first'), { role: 'assistant', content: 'ok' } as const, ...say('last')];
    const { message, warnings } = await chatWith(app, {
      messages,
      temperature: 1,
      stop: ['x'],
      routing: { fallbacks: ['a/one'] },
    });
    expect(message.content).toBe('{"points":["LAST"]}');
    expect(warnings).toEqual([
      'fn/summarizeText is a function and ignores temperature, stop, routing',
      'fn/summarizeText takes the last message of the user only',
    ]);
    expect((await readStream(app, { maxTokens: 5 })).head.warnings).toEqual([
      'fn/summarizeText is a function and ignores maxTokens',
    ]);
    await app.host.stop(0);
  });

  it('refuses tools of the client', async () => {
    const { app } = await setUp();
    const tools = [{ name: 'weather', parameters: { type: 'object' } }] as const;
    const refusal = { code: 'invalid_request', errors: [{ pointer: '/tools' }] };
    await expect(chatWith(app, { tools })).rejects.toMatchObject(refusal);
    await expect(readStream(app, { tools })).rejects.toMatchObject(refusal);
    expect((await chatWith(app, { tools: [] })).finishReason).toBe('stop');
    await app.host.stop(0);
  });

  it('needs the scope of executions before anything about the function is revealed', async () => {
    const { app } = await setUp();
    for (const model of ['fn/summarizeText', 'fn/none']) {
      const refused = chatWith(app, { model }, callerContext('a', ['gateway:invoke']));
      await expect(refused).rejects.toMatchObject({
        code: 'insufficient_scope',
        extensions: { scope: 'functions:execute' },
      });
    }
    const allowed = await chatWith(app, {}, callerContext('a', ['functions:execute']));
    expect(allowed.message.content).toBe('{"points":["LONG"]}');
    await app.host.stop(0);
  });

  it('is not found if unknown, even where calls by name would be allowed', async () => {
    const { app, provider } = await setUpModel(undefined, { config: { functions: { dynamicCalls: 'allow' } } });
    const faultOf = (model: string, by?: RequestContext) =>
      chatWith(app, { model }, by).catch((error: unknown) => error);
    expect(await faultOf('fn/sumarizeText')).toMatchObject({
      code: 'model_not_found',
      message: 'there is no function "sumarizeText"; did you mean "fn/Summarize Text"?',
    });
    for (const model of ['fn/', 'fn/@', 'fn/none@production', `fn/${'a'.repeat(5_000_000)}`])
      expect(await faultOf(model)).toMatchObject({ code: 'model_not_found' });
    expect(await faultOf('fn/summarizeText', contextOf('b'))).toMatchObject({ code: 'model_not_found' });
    await app.services.functions.create({ ...summarize, name: 'summarize text' }, context);
    await app.services.functions.create({ ...summarize, name: 'summarize, text' }, context);
    expect(await faultOf('fn/summarizeText')).toMatchObject({ code: 'ambiguous_function_name' });
    expect(provider.requests).toEqual([]);
    await app.host.stop(0);
  });

  it('has its settings chosen by a label', async () => {
    const { app, row, provider } = await setUpModel();
    const { settings } = app.services;
    await settings.put(row.id, { prompt: 'draft {{input}}' }, { label: 'staging' }, context);
    await chatWith(app, { model: 'fn/summarizeText@staging' });
    await chatWith(app);
    expect(provider.requests.map(({ messages }) => messages.at(-1)?.content)).toEqual([
      'draft {"text":"long","maxPoints":5}',
      '{"text":"long","maxPoints":5}',
    ]);
    await expect(chatWith(app, { model: 'fn/summarizeText@none' })).rejects.toMatchObject({
      code: 'model_not_found',
      message: 'the function "Summarize Text" has no settings with the label "none"',
    });
    await app.host.stop(0);
  });

  it('may have an @ in its name, and ignores a label if it has code', async () => {
    const { app, row } = await setUp(upper, { fields: { name: 'summarize@home' } });
    expect((await chatWith(app, { model: 'fn/summarize@home' })).warnings).toEqual([]);
    await app.services.settings.put(row.id, {}, { label: 'staging' }, context);
    expect((await chatWith(app, { model: 'fn/summarize@home@staging' })).warnings).toEqual([
      'summarize@home has code: the label of its settings has no effect',
    ]);
    await app.host.stop(0);
  });

  it('fails as its execution does', async () => {
    const { app } = await setUp(async () => ({ points: 'none' }));
    const failure = { code: 'function_output_invalid', extensions: { execution: { status: 'failed' } } };
    await expect(chatWith(app)).rejects.toMatchObject(failure);
    await expect(readStream(app)).rejects.toMatchObject(failure);
    await app.host.stop(0);
  });

  it('is not a model for code, which calls functions by name', async () => {
    const { app } = await setUp(async (_, call) => {
      await call('ai.chat', { model: 'fn/summarizeText', messages: say('a') });
      return { points: [] };
    });
    await expect(chatWith(app)).rejects.toMatchObject({
      code: 'function_failed',
      extensions: { execution: { error: { message: expect.stringContaining('model_not_found') } } },
    });
    await app.host.stop(0);
  });
});

const pieces = (...texts: readonly string[]): Stream =>
  async function* () {
    for (const piece of texts) {
      yield { type: 'text', text: piece };
      // Lets the writer of the stream send each of them.
      await new Promise((resolve) => setImmediate(resolve));
    }
    yield { type: 'finish', finishReason: 'stop', usage };
  };

describe('a stream of a function', () => {
  it('has the output of code in one piece', async () => {
    const { app } = await setUp();
    const { head, deltas, done } = await readStream(app);
    expect(head).toMatchObject({ model: 'fn/summarizeText', route: 'function', warnings: [] });
    expect(deltas).toEqual(['{"points":["LONG"]}']);
    expect(done).toMatchObject({ id: head.id, message: { content: '{"points":["LONG"]}' }, finishReason: 'stop' });
    await app.host.stop(0);
  });

  it('has what a generator yields in pieces that add up to the content', async () => {
    const { app } = await setUp(async (_, __, { job: { watcher } }) => {
      for (const points of [['a'], ['ab'], ['ab', 'c']]) await watcher?.yielded(JSON.stringify({ points }));
      return { points: ['ab', 'cd'] };
    });
    const { deltas, done } = await readStream(app);
    expect(deltas).toEqual(['{"points":["a', 'b', '","c', 'd"]}']);
    expect(done).toMatchObject({ message: { content: '{"points":["ab","cd"]}' } });
    await app.host.stop(0);
  });

  it('has what a model writes in pieces that add up to the content', async () => {
    const gate = Promise.withResolvers<void>();
    const { app } = await setUpModel(async function* () {
      yield { type: 'text', text: '{ "points": ["sho' };
      await gate.promise;
      yield { type: 'text', text: 'rt"] }' };
      yield { type: 'finish', finishReason: 'stop', usage };
    });
    const { events } = await app.services.gateway.streamChat(
      { model: 'fn/summarizeText', messages: say('long') },
      context,
    );
    const seen: unknown[] = [];
    for await (const event of events) {
      seen.push(event);
      gate.resolve();
    }
    const done = { message: { role: 'assistant', content: '{"points":["short"]}' }, promptTokens: 3 };
    expect(seen).toEqual([{ delta: '{"points":["sho' }, { delta: 'rt"]}' }, { done: expect.objectContaining(done) }]);
    await app.host.stop(0);
  });

  it('fails if the model begins another output after part of one was sent', async () => {
    let asked = 0;
    const { app } = await setUpModel((request, signal) => {
      asked += 1;
      const all = asked === 1 ? ['{"points":["a', '"],"points":1}'] : ['{"points":["b"]}'];
      return pieces(...all)(request, signal);
    });
    await expect(readStream(app)).rejects.toMatchObject({ code: 'function_output_invalid' });
    expect((await chatWith(app)).finishReason).toBe('stop');
    await app.host.stop(0);
  });

  it.each(['abort', 'leave'])('ends its execution when the client is gone: %s', async (how) => {
    const started = Promise.withResolvers<AbortSignal>();
    const { app, row } = await setUpModel(async function* (_, signal) {
      yield { type: 'text', text: '{ "points": ["sho' };
      started.resolve(signal);
      await new Promise((_resolve, reject) => signal.addEventListener('abort', () => reject(signal.reason)));
    });
    const leaving = new AbortController();
    const by = callerContext('a', ['*'], leaving.signal);
    const { events } = await app.services.gateway.streamChat({ model: 'fn/summarizeText', messages: say('long') }, by);
    const upstream = await started.promise;
    const gone = new Promise((resolve) => upstream.addEventListener('abort', resolve, { once: true }));
    const seen: unknown[] = [];
    const reading = (async () => {
      for await (const event of events) {
        seen.push(event);
        if (how === 'leave') break;
        leaving.abort();
      }
    })();
    await Promise.allSettled([reading, gone]);
    expect(seen).toEqual([{ delta: '{"points":["sho' }]);
    const { executions } = app.services;
    const statuses = async () =>
      (await executions.listForFunction(row.id, page, context)).rows.map(({ status }) => status);
    await expect.poll(statuses).toEqual(['cancelled']);
    await app.host.stop(0);
  });
});
