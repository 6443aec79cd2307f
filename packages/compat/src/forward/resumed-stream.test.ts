import Anthropic from '@anthropic-ai/sdk';
import OpenAI from 'openai';
import { describe, expect, it } from 'vitest';
import { readOriginalMessages } from '../anthropic-messages/read-original.ts';
import { createRandom } from '../fixtures/random.ts';
import type { ChatAnswer, ChatEvent, OriginalReader } from '../gateway-types.ts';
import { readOriginalChat, type SentRequest } from '../openai-chat/read-original.ts';
import { TopLevel } from '../top-level.ts';

const CUTS = 60;
const said = ['Zürich', ' has', ' a "lake"', ',\n', '日本', ' has', ' 👩‍👩‍👧', ' many', ' of', ' them.'];
const whole = said.join('');
const answer: ChatAnswer = {
  id: 'chat_1',
  model: 'vendor/model',
  createdAt: '2026-11-22T10:00:00.000Z',
  route: 'named',
  warnings: [],
  message: { role: 'assistant', content: whole },
  finishReason: 'stop',
  promptTokens: 20,
  completionTokens: 15,
  totalTokens: 35,
  usage: { uncachedInputTokens: 20, cacheReadTokens: 0, cacheWriteTokens: 0, outputTokens: 15, reasoningTokens: 0 },
};

interface ReadResponse {
  readonly id: string;
  readonly text: string;
  readonly tokens: number | undefined;
}

interface Row {
  readonly api: string;
  /** @param more Members of the request. */
  readonly reader: (more?: object) => OriginalReader;
  /** The stream of a vendor. */
  readonly opening: readonly object[];
  readonly text: (piece: string) => object;
  readonly reasoning: readonly object[];
  readonly ending: readonly object[];
  /** Events behind which no other model can go on. */
  readonly closed: Readonly<Record<string, readonly object[]>>;
  /** What the SDK makes of a stream. */
  readonly read: (stream: string) => Promise<ReadResponse>;
}

const messages = [{ role: 'user' as const, content: 'Hello' }];
const sent = (json: object): SentRequest => ({
  json,
  topLevel: new TopLevel(Buffer.from(JSON.stringify(json))),
  header: () => undefined,
});
const responding = (text: string) => async () =>
  new Response(text, { headers: { 'content-type': 'text/event-stream' } });

const chunkOf = (delta: object, more: object = {}) => ({
  id: 'chatcmpl-1',
  object: 'chat.completion.chunk',
  created: 1_795_341_600,
  model: 'gpt-5-2026',
  system_fingerprint: 'fp_1',
  choices: [{ index: 0, delta, logprobs: null, finish_reason: null, ...more }],
});

const rows: readonly Row[] = [
  {
    api: 'chat completions',
    reader: (more) =>
      readOriginalChat(
        sent({ model: 'm', messages, stream: true, stream_options: { include_usage: true }, ...more }),
      ).original.createReader(),
    opening: [chunkOf({ role: 'assistant', content: '', refusal: null })],
    text: (content) => chunkOf({ content }),
    reasoning: [
      chunkOf({ reasoning_content: 'Hm.' }),
      chunkOf({ reasoning: 'Hm.', reasoning_details: [{ type: 'reasoning.text', text: 'Hm.' }] }),
    ],
    ending: [
      chunkOf({}, { finish_reason: 'stop' }),
      { ...chunkOf({}), choices: [], usage: { prompt_tokens: 1, completion_tokens: 2, total_tokens: 3 } },
    ],
    closed: {
      'a call': [chunkOf({ tool_calls: [{ index: 0, id: 'a', type: 'function', function: { name: 'f' } }] })],
      'an old call': [chunkOf({ function_call: { name: 'f', arguments: '' } })],
      'a refusal': [chunkOf({ refusal: 'No' })],
      speech: [chunkOf({ audio: { id: 'audio_1' } })],
      'logarithmic probabilities': [chunkOf({ content: 'Hi' }, { logprobs: { content: [{ token: 'Hi' }] } })],
      'signed reasoning': [chunkOf({ reasoning_details: [{ type: 'reasoning.text', text: 'Hm.', signature: 's' }] })],
      'encrypted reasoning': [chunkOf({ reasoning_details: [{ type: 'reasoning.encrypted', data: 'x' }] })],
      annotations: [chunkOf({ annotations: [{ type: 'url_citation' }] })],
      'what is unknown': [chunkOf({ hologram: 'x' })],
      'the reason of the end': [chunkOf({}, { finish_reason: 'stop' })],
    },
    async read(stream) {
      const client = new OpenAI({ apiKey: 'key', maxRetries: 0, fetch: responding(stream) });
      const completion = await client.chat.completions
        .stream({ model: 'm', messages: [...messages] })
        .finalChatCompletion();
      const { id, choices, usage } = completion;
      return { id, text: choices.map(({ message }) => message.content).join('|'), tokens: usage?.total_tokens };
    },
  },
  {
    api: 'messages',
    reader: (more) =>
      readOriginalMessages(
        sent({ model: 'm', max_tokens: 9, messages, stream: true, ...more }),
      ).original.createReader(),
    opening: [
      {
        type: 'message_start',
        message: {
          id: 'msg_1',
          type: 'message',
          role: 'assistant',
          model: 'claude-sonnet',
          content: [],
          stop_reason: null,
          stop_sequence: null,
          usage: { input_tokens: 9, output_tokens: 1 },
        },
      },
      { type: 'content_block_start', index: 0, content_block: { type: 'text', text: '' } },
      { type: 'ping' },
    ],
    text: (text) => ({ type: 'content_block_delta', index: 0, delta: { type: 'text_delta', text } }),
    reasoning: [
      { type: 'content_block_stop', index: 0 },
      { type: 'content_block_start', index: 1, content_block: { type: 'thinking', thinking: '', signature: '' } },
      { type: 'content_block_delta', index: 1, delta: { type: 'thinking_delta', thinking: 'Hm.' } },
    ],
    ending: [
      { type: 'content_block_stop', index: 0 },
      { type: 'message_delta', delta: { stop_reason: 'end_turn', stop_sequence: null }, usage: { output_tokens: 2 } },
      { type: 'message_stop' },
    ],
    closed: {
      'a call': [
        { type: 'content_block_start', index: 1, content_block: { type: 'tool_use', id: 'a', name: 'f', input: {} } },
      ],
      'a signature': [
        { type: 'content_block_start', index: 1, content_block: { type: 'thinking', thinking: '', signature: '' } },
        { type: 'content_block_delta', index: 1, delta: { type: 'signature_delta', signature: 's' } },
      ],
      'encrypted thinking': [
        { type: 'content_block_start', index: 1, content_block: { type: 'redacted_thinking', data: 'x' } },
      ],
      'a citation': [{ type: 'content_block_delta', index: 0, delta: { type: 'citations_delta', citation: {} } }],
      'what is unknown': [{ type: 'hologram' }],
      'the reason of the end': [{ type: 'message_delta', delta: { stop_reason: 'end_turn' }, usage: {} }],
    },
    async read(stream) {
      const client = new Anthropic({ apiKey: 'key', maxRetries: 0, fetch: responding(stream) });
      const { id, content, usage } = await client.messages
        .stream({ model: 'm', max_tokens: 9, messages: [...messages] })
        .finalMessage();
      const texts = content.map((block) => (block.type === 'text' ? block.text : block.type));
      return { id, text: texts.join('|'), tokens: usage.input_tokens + usage.output_tokens };
    },
  },
];

const eventText = (event: object): string => {
  const name = 'type' in event ? `event: ${String(event.type)}\n` : '';
  return `${name}data: ${JSON.stringify(event)}\n\n`;
};
const bytesOf = (events: readonly object[]): Buffer => Buffer.from(events.map(eventText).join(''));

async function* eventsOf(text: string): AsyncGenerator<ChatEvent> {
  yield { resumed: { model: 'other/model', route: 'named;resumed="other/model"' } };
  // As a model that tokenizes otherwise.
  for (const each of text) yield { delta: each };
  yield { done: answer };
}

/** The text of the stream behind what was sent. */
async function continued({ resumePoint }: OriginalReader): Promise<string> {
  if (!resumePoint) throw new Error('nothing continues this stream');
  const pieces: Uint8Array[] = [];
  for await (const piece of resumePoint.write(eventsOf(whole.slice(resumePoint.text.length)))) pieces.push(piece);
  return Buffer.concat(pieces).toString();
}

describe.each(rows)('a stream of $api', ({ reader, opening, text, reasoning, ending, closed, read }) => {
  const events = [...opening, ...said.map(text), ...ending];

  it('that is cut after any byte is one response for the SDK', async () => {
    const stream = bytesOf(events);
    const [first, last] = [bytesOf(opening.slice(0, 1)).length, bytesOf(events.slice(0, -ending.length)).length];
    const random = createRandom(1);
    for (let index = 0; index < CUTS; index += 1) {
      const [cut, packet] = [first + random.below(last - first + 1), 1 + random.below(200)];
      const from = reader();
      let passed = '';
      for (let at = 0; at < cut; at += packet) {
        passed += Buffer.from(from.push(stream.subarray(at, Math.min(cut, at + packet)))).toString();
      }
      expect(whole.startsWith(from.resumePoint?.text ?? 'none')).toBe(true);
      const rest = await continued(from);
      expect(rest).toMatch(/^: Patchbay-Route: named;resumed="other\/model"\n\n/);
      const id = /"id":"(.*?)"/.exec(passed)?.[1];
      expect(await read(passed + rest)).toEqual({ id, text: whole, tokens: 35 });
    }
  });

  it('goes on behind reasoning without a proof', async () => {
    const from = reader();
    const passed = Buffer.from(from.push(bytesOf([...opening, ...reasoning]))).toString();
    const rest = await continued(from);
    expect(from.resumePoint?.text).toBe('');
    expect((await read(passed + rest)).text).toMatch(new RegExp(`${whole.slice(0, 6)}[^|]*$`));
  });

  it('sends an event that only lacks the line behind it', async () => {
    const from = reader();
    const stream = bytesOf(events.slice(0, opening.length + 2));
    const passed = Buffer.from(from.push(stream.subarray(0, -2))).toString() + Buffer.from(from.flush()).toString();
    expect(() => from.end()).toThrow('ended before it was complete');
    expect(from.resumePoint?.text).toBe(said.slice(0, 2).join(''));
    expect(await read(passed + (await continued(from)))).toMatchObject({ text: whole });
  });

  it.each(Object.keys(closed))('is not continued behind %s', (name) => {
    const from = reader();
    from.push(bytesOf([...opening, text('Hi')]));
    expect(from.resumePoint?.text).toBe('Hi');
    from.push(bytesOf(closed[name] ?? []));
    expect(from.resumePoint).toBeUndefined();
    from.push(bytesOf([text(' there')]));
    expect(from.resumePoint).toBeUndefined();
  });

  it('keeps a failure back, and what the malformed event and those behind it say', () => {
    const from = reader();
    from.push(bytesOf([...opening, text('Hi')]));
    const failing = Buffer.concat([bytesOf([text(' there')]), Buffer.from('data: {"cho\n\n'), bytesOf([text('!')])]);
    expect(Buffer.from(from.push(failing)).toString()).toBe(eventText(text(' there')));
    expect(from.failure).toMatchObject({ code: 'provider_bad_response' });
    expect(from.withheld).toHaveLength(0);
    expect(from.resumePoint?.text).toBe('Hi there');
  });
});

it('a stream of several chat completions is not continued', () => {
  const [chat] = rows;
  const from = chat?.reader({ n: 2 });
  from?.push(bytesOf([chunkOf({ content: 'Hi' })]));
  expect([from?.hasOutput, from?.resumePoint]).toEqual([true, undefined]);
});
