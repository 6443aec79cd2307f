import { setTimeout as delay } from 'node:timers/promises';
import { PatchbayError } from '@patchbay/contracts/errors';
import type { Message, UserPart } from '@patchbay/contracts/message';
import type { ChatDelta, ChatResult, Tool } from '@patchbay/contracts/provider';
import { providerError } from '@patchbay/contracts/provider-error';
import { describe, expect, it } from 'vitest';
import { contextOf } from '../functions/fixtures/function-parts.ts';
import { createTestGateway } from './fixtures/gateway.ts';
import { answer, chatModel, scriptedProvider, usage } from './fixtures/scripted-provider.ts';

const context = contextOf('a');
const messages = [{ role: 'user', content: 'hello' }] as const;
const finish: ChatDelta = { type: 'finish', finishReason: 'stop', usage };

async function* streamOf(...deltas: (ChatDelta | Error)[]): AsyncGenerator<ChatDelta> {
  for (const delta of deltas) {
    if (delta instanceof Error) throw delta;
    yield delta;
  }
}

const streaming = (...deltas: (ChatDelta | Error)[]) =>
  scriptedProvider([chatModel('m')], { stream: () => streamOf(...deltas) });

async function collect<T>(events: AsyncIterable<T>): Promise<{ events: T[]; error: unknown }> {
  const seen: T[] = [];
  try {
    for await (const event of events) seen.push(event);
  } catch (error) {
    return { events: seen, error };
  }
  return { events: seen, error: undefined };
}

describe('responses', () => {
  it('responses have ids, token totals and warnings', async () => {
    const chat = () => answer('hi', { warnings: ['adapted'], usage: { ...usage, estimated: true } });
    const { gateway } = await createTestGateway({ p: scriptedProvider([chatModel('m')], { chat }) });
    const generated = await gateway.generate({ prompt: 'x', temperature: 0 }, context);
    expect(generated).toEqual({
      id: expect.stringMatching(/^generation_/),
      text: 'hi',
      model: 'p/m',
      finishReason: 'stop',
      promptTokens: 3,
      completionTokens: 3,
      totalTokens: 6,
      createdAt: '2026-01-01T00:00:00.000Z',
      route: expect.any(String),
      warnings: ['adapted', 'the provider did not report usage; the token counts are estimates'],
    });
    expect((await gateway.chat({ messages }, context)).id).toMatch(/^chat_/);
  });

  it('a chat keeps what only the wire format of its vendor has, streamed or not', async () => {
    const extra = { acme: { fingerprint: 'f1' } };
    const provider = scriptedProvider([chatModel('m')], { chat: () => answer('hi', { extra }) });
    const { gateway } = await createTestGateway({ p: provider });
    expect(await gateway.chat({ messages }, context)).toMatchObject({ extra, usage, warnings: [] });
    const { events } = await collect((await gateway.streamChat({ messages }, context)).events);
    expect(events.at(-1)).toMatchObject({ done: { extra, usage } });
  });

  it.each<[string, Message, string]>([
    ['a call id of a user', { role: 'user', content: 'x', toolCallId: 'c' } as Message, '/messages/0/toolCallId'],
    ['an image without data', { role: 'user', content: [{ type: 'image' } as UserPart] }, '/messages/0/content/0'],
  ])('%s is refused for every interface', async (_, message, pointer) => {
    const provider = scriptedProvider([chatModel('m')], { chat: () => answer('hi') });
    const { gateway } = await createTestGateway({ p: provider });
    const given = { messages: [message] };
    const tool: Tool = { name: 'f', parameters: { type: 'object' } };
    const refusal = { code: 'invalid_request', errors: [{ pointer }] };
    await expect(gateway.chat(given, context)).rejects.toMatchObject(refusal);
    await expect(gateway.streamChat(given, context)).rejects.toMatchObject(refusal);
    await expect(gateway.explain(given, context)).rejects.toMatchObject(refusal);
    const call = { ...given, functions: [tool] };
    await expect(gateway.generateFunctionCall(call, context)).rejects.toMatchObject(refusal);
    await expect(gateway.streamFunctionCall(call, context)).rejects.toMatchObject(refusal);
    const twice = { messages, functions: [tool, tool] };
    const duplicate = { code: 'invalid_request', errors: [{ pointer: '/functions/1/name', code: 'duplicate' }] };
    await expect(gateway.generateFunctionCall(twice, context)).rejects.toMatchObject(duplicate);
    expect(provider.requests).toEqual([]);
  });

  it('only the sampling values of the caller are sent', async () => {
    const provider = scriptedProvider([chatModel('m')], { chat: () => answer('hi') });
    const { gateway } = await createTestGateway({ p: provider });
    await gateway.chat({ messages, topP: 0.5 }, context);
    expect(provider.requests[0]).toEqual({ model: 'm', messages, topP: 0.5 });
  });

  it.each([
    ['negative usage', answer('hi', { usage: { ...usage, outputTokens: -1 } })],
    ['fractional usage', answer('hi', { usage: { ...usage, outputTokens: 0.5 } })],
    ['no text', answer(undefined as unknown as string)],
  ])('%s is refused', async (_, result) => {
    const { gateway } = await createTestGateway({ p: scriptedProvider([chatModel('m')], { chat: () => result }) });
    await expect(gateway.chat({ messages }, context)).rejects.toMatchObject({ code: 'provider_bad_response' });
  });
});

describe('embed', () => {
  const model = { name: 'e', capabilities: ['embeddings'], dimensions: 2 } as const;
  it('returns the vector', async () => {
    const { gateway } = await createTestGateway({ p: scriptedProvider([model], { embedding: [0.6, 0.8] }) });
    expect(await gateway.embed({ text: 'x' }, context)).toMatchObject({
      embedding: [0.6, 0.8],
      tokens: 2,
      model: 'p/e',
    });
  });

  it.each([[[]], [[1]], [[1, Number.NaN]]])('refuses %j', async (embedding) => {
    const { gateway } = await createTestGateway({ p: scriptedProvider([model], { embedding }) });
    await expect(gateway.embed({ text: 'x' }, context)).rejects.toMatchObject({ code: 'provider_bad_response' });
  });

  it('refuses a chat model', async () => {
    const { gateway } = await createTestGateway({ p: scriptedProvider([chatModel('m')], {}) });
    const embed = gateway.embed({ text: 'x', model: 'p/m' }, context);
    await expect(embed).rejects.toMatchObject({ code: 'model_capability_mismatch' });
  });
});

describe('a stream', () => {
  it('the pieces add up to the response', async () => {
    const { gateway, deployments } = await createTestGateway({
      p: streaming({ type: 'text', text: '' }, { type: 'text', text: 'a' }, { type: 'text', text: 'b' }, finish),
    });
    const stream = await gateway.streamChat({ messages }, context);
    const { events } = await collect(stream.events);
    expect(events.slice(0, 2)).toEqual([{ delta: 'a' }, { delta: 'b' }]);
    expect(events[2]).toMatchObject({
      done: { id: stream.id, message: { role: 'assistant', content: 'ab' }, totalTokens: 6 },
    });
    expect(deployments.of('p/m').observations.read().inFlight).toBe(0);
  });

  it('another model can take over until the first output', async () => {
    const first = streaming({ type: 'text', text: '' }, providerError('failed', 'x'));
    const { gateway } = await createTestGateway({ a: first, b: streaming({ type: 'text', text: 'b' }, finish) });
    const stream = await gateway.streamGenerate({ prompt: 'x' }, context);
    expect(stream.model).toBe('b/m');
    expect((await collect(stream.events)).events.at(-1)).toMatchObject({ done: { text: 'b' } });
  });

  it.each([
    ['cut', [{ type: 'text', text: 'a' }], 'provider_bad_response'],
    ['broken', [{ type: 'text', text: 'a' }, providerError('bad_response', 'x')], 'provider_bad_response'],
    ['stopped by a bug', [{ type: 'text', text: 'a' }, new TypeError('x')], 'provider_error'],
  ] as [string, (ChatDelta | Error)[], string][])(
    'that is %s after its first output fails',
    async (_, deltas, code) => {
      const { gateway, deployments } = await createTestGateway({ p: streaming(...deltas) });
      const { events, error } = await collect((await gateway.streamChat({ messages }, context)).events);
      expect(events).toEqual([{ delta: 'a' }]);
      expect(error).toMatchObject({ code });
      expect(deployments.of('p/m').observations.read()).toMatchObject({ inFlight: 0, failureRate: 0.1 });
    },
  );

  it('a stream without any event is a failure, not an empty response', async () => {
    const { gateway } = await createTestGateway({ p: streaming() });
    await expect(gateway.streamChat({ messages }, context)).rejects.toMatchObject({ code: 'provider_bad_response' });
  });

  it('a reader who stops closes the upstream connection', async () => {
    const closed = Promise.withResolvers<string>();
    async function* endless(): AsyncGenerator<ChatDelta> {
      try {
        for (;;) yield { type: 'text', text: 'x' };
      } finally {
        closed.resolve('closed');
      }
    }
    const provider = scriptedProvider([chatModel('m')], { stream: endless });
    const { gateway, deployments } = await createTestGateway({ p: provider });
    for await (const _ of (await gateway.streamChat({ messages }, context)).events) break;
    expect(await closed.promise).toBe('closed');
    expect(deployments.of('p/m').observations.read()).toMatchObject({ failureRate: 0, inFlight: 0 });
  });

  it('a caller who leaves before reading anything ends the call', async () => {
    const controller = new AbortController();
    const provider = streaming({ type: 'text', text: 'a' }, finish);
    const { gateway, deployments } = await createTestGateway({ p: provider });
    await gateway.streamChat({ messages }, { ...context, signal: controller.signal });
    controller.abort();
    expect(deployments.of('p/m').observations.read()).toMatchObject({ failureRate: 0, inFlight: 0 });
  });

  it('a silent model is blamed for the timeout only while its stream is read', async () => {
    async function* silent(): AsyncGenerator<ChatDelta> {
      yield { type: 'text', text: 'a' };
      await new Promise(() => undefined);
    }
    const p = scriptedProvider([chatModel('m')], { stream: silent });
    const { gateway, deployments } = await createTestGateway({ p }, { timeoutMs: 30 });
    const { failureRate: before } = deployments.of('p/m').observations.read();
    const unread = await gateway.streamChat({ messages }, context);
    await delay(60);
    const observed = () => deployments.of('p/m').observations.read();
    expect(observed()).toMatchObject({ failureRate: before, inFlight: 0 });
    await expect(collect(unread.events)).resolves.toMatchObject({ error: { code: 'provider_timeout' } });
    expect(observed()).toMatchObject({ failureRate: before, inFlight: 0 });

    const { error } = await collect((await gateway.streamChat({ messages }, context)).events);
    expect(error).toMatchObject({ code: 'provider_timeout' });
    expect(observed().failureRate).toBeGreaterThan(before);
  });

  it('a provider that cannot stream responds in one piece', async () => {
    const provider = scriptedProvider([chatModel('m')], { chat: () => answer('whole') });
    const { gateway } = await createTestGateway({ p: provider });
    const { events } = await collect((await gateway.streamChat({ messages }, context)).events);
    expect(events).toMatchObject([{ delta: 'whole' }, { done: { message: { content: 'whole' } } }]);
  });
});

describe('function calling', () => {
  const weather: Tool = {
    name: 'weather',
    parameters: { type: 'object', properties: { city: { type: 'string' } }, required: ['city'] },
  };
  const called = (name: string, args: object): ChatResult =>
    answer('', { toolCalls: [{ id: '1', name, arguments: args as never }], finishReason: 'tool-calls' });
  const answering = (...results: (ChatResult | PatchbayError)[]) =>
    scriptedProvider([chatModel('m')], {
      chat() {
        const result = results.shift() ?? answer('nothing left');
        if (PatchbayError.is(result)) throw result;
        return result;
      },
    });

  it('the model must choose among the declared functions', async () => {
    const provider = answering(called('weather', { city: 'Paris' }), called('weather', { city: 'Rome' }));
    const { gateway } = await createTestGateway({ p: provider });
    const one = await gateway.generateFunctionCall({ messages, functions: [weather] }, context);
    expect(one).toMatchObject({ functionCall: { name: 'weather', arguments: { city: 'Paris' } }, totalTokens: 6 });
    await gateway.generateFunctionCall(
      { messages, functions: [weather, { ...weather, name: 'other' }], temperature: 0 },
      context,
    );
    expect(provider.requests.map(({ toolChoice, temperature }) => [toolChoice, temperature])).toEqual([
      [{ name: 'weather' }, undefined],
      ['required', 0],
    ]);
  });

  it.each([
    ['wrong arguments', called('weather', { city: 1 })],
    ['an undeclared function', called('other', {})],
    ['no call', answer('I would rather talk')],
  ])('the model sees %s, and its second response is returned', async (_, first) => {
    const provider = answering(first, called('weather', { city: 'Paris' }));
    const { gateway } = await createTestGateway({ p: provider });
    const result = await gateway.generateFunctionCall({ messages, functions: [weather] }, context);
    expect(result).toMatchObject({ functionCall: { arguments: { city: 'Paris' } }, totalTokens: 12 });
    expect(result.warnings).toEqual(['the first call of the model did not fit and was repaired']);
    expect(JSON.stringify(provider.requests[1]?.messages)).toContain('This call cannot be used');
  });

  it('a call that the provider could not read is repaired', async () => {
    const unreadable = new PatchbayError('function_call_invalid', 'arguments that are no JSON object');
    const provider = answering(unreadable, called('weather', { city: 'Paris' }));
    const { gateway } = await createTestGateway({ p: provider });
    const result = await gateway.generateFunctionCall({ messages, functions: [weather] }, context);
    expect(result).toMatchObject({ functionCall: { arguments: { city: 'Paris' } }, totalTokens: 6 });
    expect(provider.requests[1]?.messages.slice(1)).toEqual([
      { role: 'user', content: expect.stringContaining('cannot be used: arguments that are no JSON object') },
    ]);
    const failing = await createTestGateway({ p: answering(unreadable, unreadable) });
    await expect(
      failing.gateway.generateFunctionCall({ messages, functions: [weather] }, context),
    ).rejects.toMatchObject({
      errors: [{ detail: 'arguments that are no JSON object' }],
    });
  });

  it('the next model is called when the repair does not help', async () => {
    const { gateway } = await createTestGateway({ a: answering(), b: answering(called('weather', { city: 'Paris' })) });
    const result = await gateway.generateFunctionCall({ messages, functions: [weather] }, context);
    expect(result.model).toBe('b/m');
    expect(result.route).toContain('failed="a/m function_call_invalid"');
  });

  it('a request without a valid call fails', async () => {
    const { gateway } = await createTestGateway({ p: answering() });
    await expect(gateway.generateFunctionCall({ messages, functions: [weather] }, context)).rejects.toMatchObject({
      code: 'function_call_invalid',
      status: 422,
      errors: [{ pointer: '/functionCall', detail: 'no function was called' }],
    });
  });

  it('the declared schemas are checked first', async () => {
    const provider = answering();
    const { gateway } = await createTestGateway({ p: provider });
    const broken = { ...weather, name: 'broken', parameters: { type: 'object', $ref: '#' } as object };
    await expect(
      gateway.generateFunctionCall({ messages, functions: [weather, broken] }, context),
    ).rejects.toMatchObject({
      code: 'schema_invalid',
      errors: [{ pointer: '/functions/1/parameters/$ref' }],
    });
    expect(provider.requests).toEqual([]);
  });
});
