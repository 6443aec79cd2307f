import { getEventListeners } from 'node:events';
import {
  type ChatDelta,
  type ChatRequest,
  contentText,
  type Message,
  partsOf,
  type Tool,
} from '@patchbay/core/provider';
import { testContext } from '@patchbay/testing';
import { describe, expect, it } from 'vitest';
import { createDemoProvider } from './demo-provider.ts';

const provider = createDemoProvider({ name: 'demo', delayMs: 0 });
const context = testContext();
const article =
  'Deno is a runtime for JavaScript and TypeScript. It was announced in 2018 by Ryan Dahl. Programs run in a sandbox ' +
  'and need permissions for files and the network. The runtime ships a formatter and a linter. Many companies use the ' +
  'runtime on servers. The weather was nice.';

const cityAndUnit = { city: { type: 'string' }, unit: { type: 'string', enum: ['celsius', 'fahrenheit'] } } as const;
const tools: readonly Tool[] = [
  { name: 'get_weather', parameters: { type: 'object', properties: cityAndUnit, required: ['city', 'unit'] } },
  { name: 'send_mail', parameters: { type: 'object', properties: { email: { type: 'string' } }, required: ['email'] } },
];
const asked = (content: string | readonly Message[], more: Partial<ChatRequest> = {}): ChatRequest => ({
  model: 'extractive',
  messages: typeof content === 'string' ? [{ role: 'user', content }] : content,
  ...more,
});
const chat = async (content: string | readonly Message[], more: Partial<ChatRequest> = {}) =>
  await provider.chat(asked(content, more), context);

describe('chat', () => {
  it.each([
    ['Hello there', '[demo] 2 words arrived: Hello there'],
    ['What is the capital?', '[demo] Nothing in the conversation is near the question: What is the capital?'],
    [`${article} Who was it announced by?`, 'It was announced in 2018 by Ryan Dahl.'],
    [
      `Summarize this text:\n\n${article}`,
      'Deno is a runtime for JavaScript and TypeScript. The runtime ships a formatter and a linter.',
    ],
  ])('%j is answered with words of the conversation', async (question, content) => {
    expect(await chat(question)).toMatchObject({ content, finishReason: 'stop', usage: { estimated: true } });
  });

  it('warns that it is no language model, and about parameters without effect', async () => {
    const { warnings } = await chat('Hello', { temperature: 0.5, topP: 1, seed: 7 });
    expect(warnings?.[0]).toMatch(/^demo\/extractive is not a language model: /);
    expect(warnings?.[1]).toBe('demo/extractive draws no samples, so that temperature, topP, seed has no effect');
  });

  it('cuts the content and tool calls at maxTokens', async () => {
    expect(await chat(article, { maxTokens: 5 })).toMatchObject({
      content: 'Deno is a runtime',
      finishReason: 'length',
    });
    expect((await chat('東京 '.repeat(9), { maxTokens: 5 })).content).not.toContain('\uFFFD');
    expect((await chat('Hello there END', { stop: [' EN', 'there'] })).content).toBe('[demo] 3 words arrived: Hello ');
    const call = await chat('The weather in Rome?', { tools, maxTokens: 2 });
    expect(call).toMatchObject({ content: '', finishReason: 'length' });
  });

  it('refuses images, other models and texts beyond its context', async () => {
    const image: Message = { role: 'user', content: [{ type: 'image', url: 'https://example.org/a.png' }] };
    const unsupported = { code: 'unsupported_parameter' };
    await expect(chat([image])).rejects.toMatchObject(unsupported);
    await expect(chat('x', { model: 'hash-embed-512' })).rejects.toMatchObject(unsupported);
    await expect(chat('x', { model: 'gpt' })).rejects.toMatchObject({ upstream: { kind: 'model_gone' } });
    await expect(chat('word '.repeat(20_000))).rejects.toMatchObject({ code: 'context_length_exceeded' });
  });
});

describe('tools', () => {
  it('tools are chosen by the words that they share with the question', async () => {
    const weather = await chat('The weather in Rome in fahrenheit?', { tools });
    const rome = { id: 'call_1', name: 'get_weather', arguments: { city: 'Rome', unit: 'fahrenheit' } };
    expect(weather).toMatchObject({ finishReason: 'tool-calls', content: [{ type: 'tool-call', ...rome }] });
    const mail = await chat('Write a mail to ada@example.org', { tools });
    expect(mail.content).toMatchObject([{ name: 'send_mail', arguments: { email: 'ada@example.org' } }]);
  });

  it('tools are called only if one fits, or is required', async () => {
    expect((await chat('Hello there', { tools })).content).toContain('2 words');
    expect((await chat('The weather in Rome', { tools, toolChoice: 'none' })).content).toContain('4 words');
    const required = await chat('Hello there', { tools, toolChoice: 'required' });
    expect(required.warnings?.at(-1)).toBe('nothing in the text fits /unit: placeholders stand there');
    const missing = chat('x', { tools, toolChoice: { name: 'nothing' } });
    await expect(missing).rejects.toMatchObject({ upstream: { kind: 'rejected' } });
  });

  it('tools are not called again after their results, unless one is required', async () => {
    const toolCall = { id: 'call_1', name: 'get_weather', arguments: { city: 'Rome' } };
    const messages: readonly Message[] = [
      { role: 'user', content: 'The weather in Rome?' },
      { role: 'assistant', content: [{ type: 'tool-call', ...toolCall }] },
      { role: 'tool', toolCallId: 'call_1', content: 'Sunny, 31 degrees.' },
    ];
    expect((await chat(messages, { tools })).content).toBe('[demo] The tools answered: Sunny, 31 degrees.');
    expect((await chat(messages, { tools, toolChoice: 'required' })).content).toMatchObject([{ id: 'call_2' }]);
  });
});

it('a response schema is filled from the text, or refused', async () => {
  const properties = { year: { type: 'integer' }, mood: { enum: ['good', 'bad'] } } as const;
  const responseSchema = { type: 'object', properties, required: ['year', 'mood'] } as const;
  const { content, warnings } = await chat(article, { responseSchema });
  expect(JSON.parse(contentText(content))).toEqual({ year: 2_018, mood: 'good' });
  expect(warnings?.at(-1)).toBe('nothing in the text fits /mood: placeholders stand there');
  expect(JSON.parse(contentText((await chat(article, { responseJson: true })).content))).toHaveProperty('text');
  const impossible = chat('1', { responseSchema: { type: 'integer', minimum: 2, maximum: 1 } });
  await expect(impossible).rejects.toMatchObject({ code: 'unsupported_parameter' });
});

describe('a stream', () => {
  it('adds up to the response of chat, also with a delay', async () => {
    const patient = createDemoProvider({ name: 'demo', delayMs: 1 });
    for (const request of [asked('Hello  there,\n you '), asked('weather in Rome', { tools })]) {
      const deltas: ChatDelta[] = [];
      for await (const arrived of patient.stream?.(request, context) ?? []) deltas.push(...[arrived].flat());
      const { content, ...finish } = await provider.chat(request, context);
      const text = deltas.map((delta) => (delta.type === 'text' ? delta.text : '')).join('');
      const calls = deltas.flatMap((delta) => (delta.type === 'tool-call' ? [delta.toolCall] : []));
      const parts = [...partsOf(text), ...calls.map((call) => ({ type: 'tool-call', ...call }))];
      expect(parts).toEqual(partsOf(content));
      expect(deltas.at(-1)).toEqual({ type: 'finish', ...finish });
    }
  });

  it('ends with the reason of an abort during a delay, and removes its listener', async () => {
    const controller = new AbortController();
    const slow = createDemoProvider({ name: 'demo', delayMs: 3_600_000 });
    const aborted = testContext({ signal: controller.signal });
    const first = slow.stream?.(asked(article), aborted)[Symbol.asyncIterator]().next();
    controller.abort(new Error('the client left'));
    await expect(first).rejects.toThrow('the client left');
    expect(getEventListeners(controller.signal, 'abort')).toEqual([]);
    await expect(provider.chat(asked('x'), aborted)).rejects.toThrow('the client left');
    const embedding = provider.embed?.({ model: 'hash-embed-512', texts: ['x'] }, aborted);
    await expect(embedding).rejects.toThrow('the client left');
  });
});

describe('embed', () => {
  const embed = async (...texts: string[]) =>
    (await provider.embed?.({ model: 'hash-embed-512', texts }, context))?.embeddings ?? [];

  it('a vector has 512 numbers and length 1, and is near those of texts with the same words in other forms', async () => {
    const [empty = []] = await embed('');
    expect([empty.length, Math.hypot(...empty)]).toEqual([512, 1]);
    const near = (one: readonly number[] = [], other: readonly number[] = []) =>
      one.reduce((sum, value, index) => sum + value * (other[index] ?? 0), 0);
    const sentences = ['Permission for the network is granted with a flag.', 'Bananas ripen when they lie in the sun.'];
    const [asks, close, far] = await embed('how to grant network permissions', ...sentences);
    expect(near(asks, close)).toBeGreaterThan(near(asks, far) + 0.3);
  });
});
