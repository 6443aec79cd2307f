import { getEventListeners } from 'node:events';
import type { ChatDelta, ChatRequest, ChatResult, Message, Tool } from '@patchbay/core/provider';
import { testContext } from '@patchbay/testing';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { createDemoProvider } from './demo-provider.ts';
import { faultsOf } from './fixtures/ajv-judge.ts';
import { texts } from './fixtures/schema-arbitraries.ts';
import plugin from './index.ts';

const provider = createDemoProvider({ name: 'demo', delayMs: 0 });
const context = testContext();
const article =
  'Deno is a runtime for JavaScript and TypeScript. It was announced in 2018 by Ryan Dahl. Programs run in a sandbox ' +
  'and need permissions for files and the network. The runtime ships a formatter and a linter. Many companies use the ' +
  'runtime on servers. The weather was nice.';

const tools: readonly Tool[] = [
  {
    name: 'get_weather',
    description: 'Forecast for a place',
    parameters: {
      type: 'object',
      properties: { city: { type: 'string' }, unit: { type: 'string', enum: ['celsius', 'fahrenheit'] } },
      required: ['city', 'unit'],
    },
  },
  {
    name: 'send_mail',
    description: 'Write to somebody',
    parameters: { type: 'object', properties: { to: { type: 'string', format: 'email' } }, required: ['to'] },
  },
];

const asked = (content: string | readonly Message[], more: Partial<ChatRequest> = {}): ChatRequest => ({
  model: 'extractive',
  messages: typeof content === 'string' ? [{ role: 'user', content }] : content,
  ...more,
});
const chat = async (content: string | readonly Message[], more: Partial<ChatRequest> = {}): Promise<ChatResult> =>
  await provider.chat(asked(content, more), context);

async function streamed(request: ChatRequest, from = provider): Promise<readonly ChatDelta[]> {
  const deltas: ChatDelta[] = [];
  for await (const delta of from.stream?.(request, context) ?? []) deltas.push(delta);
  return deltas;
}

describe('models', () => {
  it('are free, the last resort, and do no more than they say', async () => {
    const models = await provider.models();
    expect(models.map(({ name }) => name)).toEqual(['extractive', 'hash-embed-512']);
    for (const model of models) expect(model).toMatchObject({ lastResort: true, pricing: { input: 0, output: 0 } });
    await expect(provider.chat({ ...asked('x'), model: 'gpt' }, context)).rejects.toMatchObject({
      upstream: { kind: 'model_gone' },
    });
    const embedder = { ...asked('x'), model: 'hash-embed-512' };
    await expect(provider.chat(embedder, context)).rejects.toMatchObject({ code: 'unsupported_parameter' });
    await expect(provider.embed?.({ model: 'extractive', text: 'x' }, context)).rejects.toMatchObject({
      code: 'unsupported_parameter',
    });
  });

  it('say with every answer what they are, under the name of their mount', async () => {
    const { logger } = context;
    const mount = 'providers.offline';
    const named = plugin.definition.create({ config: { delayMs: 0 }, deps: {}, logger, mount, directory: '.' });
    const { warnings } = await named.chat(asked('Hello'), context);
    expect(warnings?.[0]).toMatch(/^offline\/extractive is not a language model: /);
    const embedded = await named.embed?.({ model: 'hash-embed-512', text: 'Hello' }, context);
    expect(embedded?.warnings?.[0]).toMatch(/^offline\/hash-embed-512 compares words and letters/);
    const finish = (await streamed(asked('Hello'), named)).at(-1);
    expect(finish).toMatchObject({ type: 'finish', warnings });
  });
});

describe('chat', () => {
  it('summarizes by the sentences in the middle of a text', async () => {
    const { content } = await chat(`Summarize this text:\n\n${article}`);
    expect(content).toBe(
      'Deno is a runtime for JavaScript and TypeScript. The runtime ships a formatter and a linter.',
    );
  });

  it('answers a question by the sentences that are nearest to it', async () => {
    const { content } = await chat([
      { role: 'system', content: article },
      { role: 'user', content: 'What permissions do programs need?' },
    ]);
    expect(content).toBe('Programs run in a sandbox and need permissions for files and the network.');
  });

  it('says plainly what arrived, or that nothing is near', async () => {
    expect((await chat('Hello there')).content).toBe('[demo] 2 words arrived: Hello there');
    expect((await chat('What is the capital of France?')).content).toBe(
      '[demo] Nothing in the conversation is near the question: What is the capital of France?',
    );
    expect((await chat('')).content).toBe('[demo] 0 words arrived:');
  });

  it('has no word that is neither in the conversation nor one of its fixed ones', async () => {
    const fixed =
      '[demo] The tools answered: One word words arrived: Nothing in the conversation is near the question:';
    const pieces = [
      ...article.split(/(?<=\.) /),
      'Why?',
      'List them:',
      'Where is the sandbox?',
      '- a point\n',
      '東京です。',
    ];
    const content = fc.array(fc.oneof(fc.constantFrom(...pieces), texts), { maxLength: 8 }).map((all) => all.join(' '));
    const message = fc.tuple(fc.constantFrom('system', 'user', 'assistant'), content);
    await fc.assert(
      fc.asyncProperty(fc.array(message, { minLength: 1, maxLength: 4 }), fc.nat(200), async (parts, maxTokens) => {
        const messages = parts.map(([role, content]) => ({ role, content }) as Message);
        const answer = await chat(messages, { maxTokens: maxTokens + 3 });
        const wordsIn = (text: string) => text.split(/[^\p{L}\p{N}]+/u).filter((word) => word !== '');
        const known = new Set(wordsIn(`${fixed} ${parts.map(([, content]) => content).join(' ')}`));
        const unknown = wordsIn(answer.content).filter((word) => !known.has(word) && !/^\d+$/.test(word));
        expect(answer.finishReason === 'length' ? unknown.slice(0, -1) : unknown).toEqual([]);
      }),
      { numRuns: 300, seed: 20_261_121, endOnFailure: true },
    );
  });

  it('keeps to maxTokens and says so', async () => {
    const cut = await chat(article, { maxTokens: 5 });
    expect(cut).toMatchObject({ content: 'Deno is a runtime', finishReason: 'length', usage: { outputTokens: 5 } });
    expect(await chat(article)).toMatchObject({ finishReason: 'stop' });
  });

  it('estimates its usage, and says that sampling has no effect', async () => {
    const { usage, warnings } = await chat('12345678', { temperature: 0.5, topP: 1 });
    expect(usage).toMatchObject({ estimated: true, reasoningTokens: 0, cacheReadTokens: 0 });
    expect(usage.uncachedInputTokens).toBeGreaterThanOrEqual(2);
    expect(warnings).toContain('demo/extractive draws no samples, so that temperature, topP has no effect');
  });

  it('gives equal answers to equal requests', async () => {
    for (const request of [asked(article), asked('weather in Rome', { tools }), asked('Why?')]) {
      expect(await provider.chat(structuredClone(request), context)).toEqual(await provider.chat(request, context));
    }
  });

  it('refuses images and texts beyond its context', async () => {
    const image = { type: 'image', url: 'https://example.org/a.png' } as const;
    const withImage: readonly Message[] = [{ role: 'user', content: [{ type: 'text', text: 'What is it?' }, image] }];
    await expect(chat(withImage)).rejects.toMatchObject({
      code: 'unsupported_parameter',
      message: 'demo/extractive does not take images',
    });
    await expect(chat('word '.repeat(20_000))).rejects.toMatchObject({ code: 'context_length_exceeded' });
    await expect(chat('x', { maxTokens: 5_000 })).rejects.toMatchObject({ code: 'unsupported_parameter' });
  });
});

describe('tools', () => {
  it('are chosen by the words that they share with the question', async () => {
    const weather = await chat('The weather in Rome in fahrenheit?', { tools });
    expect(weather).toMatchObject({ finishReason: 'tool-calls', content: '' });
    expect(weather.toolCalls).toEqual([
      { id: 'call_1', name: 'get_weather', arguments: { city: 'Rome', unit: 'fahrenheit' } },
    ]);
    const mail = await chat('Write a mail to ada@example.org', { tools });
    expect(mail.toolCalls).toMatchObject([{ name: 'send_mail', arguments: { to: 'ada@example.org' } }]);
  });

  it('are left alone where none is near, unless one is required', async () => {
    expect((await chat('Hello there', { tools })).toolCalls).toEqual([]);
    const required = await chat('Hello there', { tools, toolChoice: 'required' });
    expect(required.toolCalls).toHaveLength(1);
    expect(required.warnings?.at(-1)).toBe('nothing in the text fits /unit: placeholders stand there');
    const named = await chat('The weather', { tools, toolChoice: { name: 'send_mail' } });
    expect(named.toolCalls).toMatchObject([{ name: 'send_mail', arguments: { to: 'demo@example.com' } }]);
    const missing = chat('x', { tools, toolChoice: { name: 'nothing' } });
    await expect(missing).rejects.toMatchObject({ upstream: { kind: 'rejected' } });
  });

  it('are done once they answered', async () => {
    const toolCall = { id: 'call_1', name: 'get_weather', arguments: { city: 'Rome' } };
    const messages: readonly Message[] = [
      { role: 'user', content: 'The weather in Rome?' },
      { role: 'assistant', content: '', toolCalls: [toolCall] },
      { role: 'tool', toolCallId: 'call_1', content: 'Sunny, 31 degrees.' },
    ];
    const answer = await chat(messages, { tools });
    expect(answer).toMatchObject({ content: '[demo] The tools answered: Sunny, 31 degrees.', toolCalls: [] });
    const again = await chat(messages, { tools, toolChoice: 'required' });
    expect(again.toolCalls).toMatchObject([{ id: 'call_2' }]);
  });

  it('are not called by half', async () => {
    const answer = await chat('The weather in Rome?', { tools, maxTokens: 2 });
    expect(answer).toMatchObject({ content: '', toolCalls: [], finishReason: 'length' });
  });
});

describe('a response schema', () => {
  const responseSchema = {
    type: 'object',
    properties: { summary: { type: 'string' }, year: { type: 'integer' }, mood: { enum: ['good', 'bad'] } },
    required: ['summary', 'year', 'mood'],
  } as const;

  it('is fitted with what the text has', async () => {
    const { content, finishReason, warnings } = await chat(article, { responseSchema });
    expect(faultsOf(responseSchema, JSON.parse(content))).toEqual([]);
    expect(JSON.parse(content)).toMatchObject({ year: 2_018, mood: 'good' });
    expect(finishReason).toBe('stop');
    expect(warnings?.at(-1)).toBe('nothing in the text fits /mood: placeholders stand there');
  });

  it('that no value fits is refused', async () => {
    const impossible = { type: 'integer', minimum: 2, maximum: 1 } as const;
    await expect(chat('1', { responseSchema: impossible })).rejects.toMatchObject({ code: 'unsupported_parameter' });
  });
});

describe('a stream', () => {
  it('adds up to what chat answers, word by word', async () => {
    const requests = [
      asked(article),
      asked('Hello  there,\n you '),
      asked('weather in Rome', { tools }),
      asked(article, { responseSchema: { type: 'object', properties: { text: { type: 'string' } } } }),
      asked('Hello', { maxTokens: 1 }),
    ];
    for (const request of requests) {
      const deltas = await streamed(request);
      const { content, toolCalls, ...finish } = await provider.chat(request, context);
      expect(deltas.map((delta) => (delta.type === 'text' ? delta.text : '')).join('')).toBe(content);
      expect(deltas.flatMap((delta) => (delta.type === 'tool-call' ? [delta.toolCall] : []))).toEqual(toolCalls);
      expect(deltas.at(-1)).toEqual({ type: 'finish', ...finish });
      expect(deltas.filter(({ type }) => type === 'finish')).toHaveLength(1);
    }
    expect(await streamed(asked('Hello there'))).toHaveLength(7);
  });

  it('ends with the reason of the abort, also while it waits, and leaves no listener behind', async () => {
    const slow = createDemoProvider({ name: 'demo', delayMs: 3_600_000 });
    const controller = new AbortController();
    const reason = new Error('the client left');
    const stream = slow.stream?.(asked(article), testContext({ signal: controller.signal }));
    const first = stream?.[Symbol.asyncIterator]().next();
    controller.abort(reason);
    await expect(first).rejects.toBe(reason);
    expect(getEventListeners(controller.signal, 'abort')).toEqual([]);
  });

  it('waits before each word', async () => {
    const patient = createDemoProvider({ name: 'demo', delayMs: 1 });
    const controller = new AbortController();
    const received: ChatDelta[] = [];
    for await (const delta of patient.stream?.(asked('Hello'), testContext({ signal: controller.signal })) ?? []) {
      received.push(delta);
      expect(getEventListeners(controller.signal, 'abort')).toEqual([]);
    }
    expect(received).toEqual(await streamed(asked('Hello')));
  });
});

describe('an abort before the call', () => {
  it('is the answer', async () => {
    const reason = new Error('too late');
    const aborted = testContext({ signal: AbortSignal.abort(reason) });
    await expect(provider.chat(asked('x'), aborted)).rejects.toBe(reason);
    await expect(provider.embed?.({ model: 'hash-embed-512', text: 'x' }, aborted)).rejects.toBe(reason);
    const stream = provider.stream?.(asked('x'), aborted);
    await expect(stream?.[Symbol.asyncIterator]().next()).rejects.toBe(reason);
  });
});

describe('embed', () => {
  it('counts tokens and refuses what is beyond its context', async () => {
    const found = await provider.embed?.({ model: 'hash-embed-512', text: '12345678' }, context);
    expect(found).toMatchObject({ tokens: 2 });
    expect(found?.embedding).toHaveLength(512);
    const long = { model: 'hash-embed-512', text: 'word '.repeat(20_000) };
    await expect(provider.embed?.(long, context)).rejects.toMatchObject({ code: 'context_length_exceeded' });
  });
});
