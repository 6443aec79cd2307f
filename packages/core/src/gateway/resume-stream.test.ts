import type { ChatDelta, ChatRequest, ModelInfo } from '@patchbay/contracts/provider';
import { providerError } from '@patchbay/contracts/provider-error';
import type { RoutingOptions } from '@patchbay/contracts/router';
import { describe, expect, it } from 'vitest';
import { contextOf } from '../functions/fixtures/function-parts.ts';
import { createTestGateway } from './fixtures/gateway.ts';
import { chatModel, scriptedProvider, usage } from './fixtures/scripted-provider.ts';
import type { ChatInput } from './gateway-service.ts';

const messages = [{ role: 'user', content: 'count' }] as const;
const finish: ChatDelta = { type: 'finish', finishReason: 'stop', usage };
const text = (each: string): ChatDelta => ({ type: 'text', text: each });
const cut = providerError('failed', 'the stream was cut');
const refused = providerError('rejected', 'the last message must be of the user');

type Script = (request: ChatRequest, signal: AbortSignal) => AsyncGenerator<ChatDelta>;

const play = (...steps: (ChatDelta | Error)[]): Script =>
  async function* () {
    for (const step of steps) {
      if (step instanceof Error) throw step;
      yield step;
    }
  };

const streaming = (script: Script, info: Partial<ModelInfo> = {}) =>
  scriptedProvider([chatModel('m', info)], { stream: script });

/** A gateway whose models `a/m`, `b/m` and `c/m` are called in this order. */
async function setUp(first: Script, second = streaming(play(text('one two'), finish)), third?: Script) {
  const providers = { a: streaming(first), b: second, ...(third && { c: streaming(third) }) };
  const aliases = { steady: { model: 'a/m', fallbacks: ['b/m'], routing: { onInterrupt: 'error' as const } } };
  const { gateway, deployments } = await createTestGateway(providers, { timeoutMs: 20_000, aliases });
  const read = async (input: Partial<ChatInput> = {}, signal?: AbortSignal) => {
    const context = { ...contextOf('a'), ...(signal && { signal }) };
    const { events, ...head } = await gateway.streamChat({ messages, ...input }, context);
    const seen: object[] = [];
    try {
      for await (const event of events) seen.push(event);
      return { head, seen, error: undefined };
    } catch (error) {
      return { head, seen, error };
    }
  };
  return { ...providers, gateway, deployments, read };
}

const interrupted = play(text('one '), cut);
const resumed = { resumed: { model: 'b/m', route: expect.stringContaining('resumed="b/m"') } };

describe('an interrupted text stream', () => {
  it('continues with the next model, which has to write the same text again', async () => {
    const { read, b } = await setUp(interrupted, streaming(play(text('o'), text('ne t'), text('wo'), finish)));
    const { head, seen, error } = await read({ maxTokens: 50 });
    expect(error).toBeUndefined();
    expect(seen.slice(0, -1)).toEqual([{ delta: 'one ' }, resumed, { delta: 't' }, { delta: 'wo' }]);
    expect(head).toMatchObject({ model: 'a/m', route: expect.not.stringContaining('resumed') });
    expect(seen.at(-1)).toMatchObject({
      done: {
        id: head.id,
        model: 'a/m',
        route: expect.stringContaining('failed="a/m provider_error";resumed="b/m"'),
        message: { role: 'assistant', content: 'one two' },
        finishReason: 'stop',
        usage: { cacheReadTokens: 1, outputTokens: usage.outputTokens + 1, estimated: true },
        warnings: expect.arrayContaining(['the stream of a/m was interrupted, and b/m continued it']),
      },
    });
    expect(b.requests).toEqual([{ model: 'm', messages, maxTokens: 50 }]);
  });

  it('continues from the text with a model that can continue an assistant message', async () => {
    const { read, b } = await setUp(
      play(text('one two'), cut),
      streaming(play(text(' three'), finish), { prefill: true }),
    );
    const { seen } = await read({ maxTokens: 50 });
    expect(seen.slice(0, -1)).toEqual([{ delta: 'one two' }, resumed, { delta: ' three' }]);
    expect(seen.at(-1)).toMatchObject({ done: { message: { content: 'one two three' } } });
    const [user] = messages;
    expect(b.requests).toEqual([
      { model: 'm', messages: [user, { role: 'assistant', content: 'one two' }], maxTokens: 48 },
    ]);
  });

  it('has a model write its trailing space again, which vendors refuse at the end of a message', async () => {
    const second = streaming(play(text(' '), text('two'), finish), { prefill: true });
    const { read, b } = await setUp(interrupted, second);
    const { seen } = await read();
    expect(seen.slice(0, -1)).toEqual([{ delta: 'one ' }, resumed, { delta: 'two' }]);
    expect(b.requests[0]?.messages.at(-1)).toEqual({ role: 'assistant', content: 'one' });
  });

  it('is appended to the assistant message that the caller began', async () => {
    const second = streaming(play(text('two'), finish), { prefill: true });
    const { read, b } = await setUp(play(text('one-'), cut), second);
    await read({ messages: [...messages, { role: 'assistant', content: 'zero ' }] });
    expect(b.requests[0]?.messages).toEqual([...messages, { role: 'assistant', content: 'zero one-' }]);
  });

  it.each<[string, Script, Partial<ChatInput>]>([
    [
      'refuses to',
      (request) =>
        play(...(request.messages.length > 1 ? [refused] : [text('one two'), finish]))(
          request,
          new AbortController().signal,
        ),
      {},
    ],
    ['must write JSON, which it would start over', play(text('one two'), finish), { responseJson: true }],
  ])('is repeated by a model that could continue it, but %s', async (_, script, input) => {
    const { read, b } = await setUp(interrupted, streaming(script, { prefill: true }));
    const { seen, error } = await read(input);
    expect(error).toBeUndefined();
    expect(seen.slice(0, -1)).toEqual([{ delta: 'one ' }, resumed, { delta: 'two' }]);
    expect(b.requests.at(-1)?.messages).toEqual(messages);
  });

  it('leaves a model that writes something else at once, and continues with the one after it', async () => {
    let left = false;
    const other: Script = async function* () {
      try {
        yield text('on');
        yield text('ly two');
        yield text('more');
        throw new Error('was read on');
      } finally {
        left = true;
      }
    };
    const { read, deployments } = await setUp(interrupted, streaming(other), play(text('one two'), finish));
    const { seen } = await read();
    expect(left).toBe(true);
    expect(seen.slice(0, -1)).toEqual([
      { delta: 'one ' },
      { resumed: { model: 'c/m', route: expect.stringContaining('failed="a/m provider_error, b/m provider_error"') } },
      { delta: 'two' },
    ]);
    expect(deployments.of('b/m').observations.read().failureRate).toBe(0);
  });

  it.each<[string, Script, Script?]>([
    ['no model writes the same', play(text('two'), finish)],
    ['the others write less', play(text('one'), finish)],
    [
      'the others call a tool in its place',
      play({ type: 'tool-call', toolCall: { id: 'c', name: 'f', arguments: {} } }, finish),
    ],
    ['the others fail', play(refused), play(providerError('busy', 'too many requests'))],
    [
      'the model that continues is cut off as well',
      play(text('one two'), providerError('busy', 'cut again')),
      play(text('one two'), finish),
    ],
  ])('ends with its first error if %s', async (_, second, third) => {
    const { read } = await setUp(interrupted, streaming(second), third);
    const { seen, error } = await read();
    expect(error).toBe(cut);
    expect(seen.some((event) => 'done' in event)).toBe(false);
    expect(seen.map((event) => ('delta' in event ? event.delta : '')).join('')).toMatch(/^one (?:two)?$/);
  });

  const call: ChatDelta = { type: 'tool-call', toolCall: { id: 'c', name: 'f', arguments: {} } };
  it.each<[string, ...ChatDelta[]]>([
    ['a tool call', text('one '), call],
    ['a piece of a call', text('one '), { type: 'tool-arguments', id: 'c', name: 'f', text: '{' }],
    ['signed reasoning', { type: 'reasoning', text: 'hm' }, { type: 'reasoning-end', signature: 's' }, text('one ')],
    ['encrypted reasoning', { type: 'reasoning-end', encrypted: 'e' }, text('one ')],
    ['a refusal', { type: 'refusal', text: 'No' }],
  ])('is not continued if %s was sent', async (_, ...sent) => {
    const { read, b } = await setUp(play(...sent, cut));
    expect((await read()).error).toBe(cut);
    expect(b.requests).toEqual([]);
  });

  it.each<[string, RoutingOptions, string?]>([
    ['the request says so', { onInterrupt: 'error' }],
    ['the named model has no fallback', {}, 'a/m'],
    ['the request says so for a named model', { onInterrupt: 'error', fallbacks: ['b/m'] }, 'a/m'],
    ['an alias says so', {}, 'steady'],
  ])('is not continued if %s', async (_, routing, model = 'auto') => {
    const { read, b } = await setUp(interrupted);
    expect((await read({ routing, model })).error).toBe(cut);
    expect(b.requests).toEqual([]);
  });

  it('continues with a fallback of a named model', async () => {
    const { read } = await setUp(interrupted);
    const { seen } = await read({ model: 'a/m', routing: { fallbacks: ['b/m'] } });
    expect(seen.slice(0, -1)).toEqual([{ delta: 'one ' }, resumed, { delta: 'two' }]);
  });

  it('does not continue with a model that had failed before', async () => {
    const { read, a } = await setUp(play(cut), streaming(interrupted), play(text('one two'), finish));
    const { seen } = await read();
    expect(seen.at(-1)).toMatchObject({ done: { model: 'b/m', message: { content: 'one two' } } });
    expect(a.requests).toHaveLength(1);
  });

  it('keeps the reasoning that was sent, and shows none from the other model', async () => {
    const reasoning = (each: string): ChatDelta => ({ type: 'reasoning', text: each });
    const second = play(reasoning('foreign'), { type: 'reasoning-end', signature: 's' }, text('one'), finish);
    const { read } = await setUp(play(reasoning('own'), cut), streaming(second));
    const { seen } = await read();
    expect(seen.slice(0, -1)).toEqual([{ reasoning: 'own' }, { reasoningEnd: {} }, resumed, { delta: 'one' }]);
    expect(seen.at(-1)).toMatchObject({
      done: {
        message: {
          parts: [
            { type: 'reasoning', text: 'own', by: 'a/m' },
            { type: 'text', text: 'one' },
          ],
        },
      },
    });
  });

  it('may end with a tool call', async () => {
    const second = play(text('one '), call, { ...finish, finishReason: 'tool-calls' });
    const { seen } = await (await setUp(interrupted, streaming(second))).read();
    expect(seen.slice(1, 3)).toEqual([resumed, { toolCall: { id: 'c', name: 'f', arguments: '{}' } }]);
    expect(seen.at(-1)).toMatchObject({ done: { finishReason: 'tool-calls' } });
  });

  it('is continued for a prompt as well', async () => {
    const { gateway } = await setUp(interrupted);
    const { events } = await gateway.streamGenerate({ prompt: 'count' }, contextOf('a'));
    const seen: object[] = [];
    for await (const event of events) seen.push(event);
    expect(seen.slice(0, -1)).toEqual([{ delta: 'one ' }, resumed, { delta: 'two' }]);
    expect(seen.at(-1)).toMatchObject({ done: { text: 'one two' } });
  });

  it('ends the stream of the continuing model if its caller stops reading at the resumed event', async () => {
    const left = Promise.withResolvers<void>();
    const second: Script = async function* () {
      try {
        yield text('one two');
        yield text(' three');
      } finally {
        left.resolve();
      }
    };
    const { gateway, deployments } = await setUp(interrupted, streaming(second));
    const { events } = await gateway.streamChat({ messages }, contextOf('a'));
    for await (const event of events) if ('resumed' in event) break;
    await left.promise;
    expect(deployments.of('b/m').observations.read().inFlight).toBe(0);
  });

  it('cancels the continuing model when its caller leaves', async () => {
    const caller = new AbortController();
    const silent = Promise.withResolvers<void>();
    const cancelled = Promise.withResolvers<void>();
    const second: Script = async function* (_, signal) {
      yield text('o');
      signal.addEventListener('abort', () => cancelled.resolve());
      silent.resolve();
      await cancelled.promise;
    };
    const { read, c, deployments } = await setUp(interrupted, streaming(second), play(text('one two'), finish));
    const reading = read({}, caller.signal);
    await silent.promise;
    caller.abort(new Error('left'));
    await cancelled.promise;
    expect((await reading).seen).toEqual([{ delta: 'one ' }]);
    expect(c?.requests).toEqual([]);
    for (const id of ['a/m', 'b/m']) expect(deployments.of(id).observations.read().inFlight).toBe(0);
  });
});
