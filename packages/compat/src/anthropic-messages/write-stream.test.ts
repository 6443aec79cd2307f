import Anthropic from '@anthropic-ai/sdk';
import { PatchbayError } from '@patchbay/core/plugin';
import type { AssistantPart } from '@patchbay/core/provider';
import { describe, expect, it } from 'vitest';
import { createRandom, type Random } from '../fixtures/random.ts';
import type { ChatAnswer, ChatPiece } from '../gateway-types.ts';
import { answerOf, piecesOf } from './fixtures/answers.ts';
import { mapError } from './map-error.ts';
import { serializeMessage } from './serialize-response.ts';
import { errorEvent, writeMessageStream } from './write-stream.ts';

const RUNS = 200;

type Event = Record<string, unknown> & { readonly type: string; readonly index?: number };

async function* streamOf(pieces: readonly ChatPiece[], end: ChatAnswer | Error) {
  yield pieces;
  if (end instanceof Error) throw end;
  yield [{ done: end }];
}

async function textOf(pieces: readonly ChatPiece[], end: ChatAnswer | Error): Promise<string> {
  let text = '';
  try {
    for await (const event of writeMessageStream(answerOf([]), streamOf(pieces, end))) text += event;
  } catch (error) {
    text += errorEvent(JSON.stringify(mapError(error, 'request_1').body));
  }
  return text;
}

async function eventsOf(pieces: readonly ChatPiece[], end: ChatAnswer | Error): Promise<readonly Event[]> {
  const text = await textOf(pieces, end);
  return [...text.matchAll(/^event: (.*)\ndata: (.*)$/gm)].map(([, name, data]) => {
    const event = JSON.parse(data ?? '') as Event;
    expect(event.type).toBe(name);
    return event;
  });
}

/** A stream as the unchanged SDK reads it. */
function clientOf(text: string): Anthropic {
  const headers = { 'content-type': 'text/event-stream' };
  return new Anthropic({
    apiKey: 'dummy',
    baseURL: 'http://127.0.0.1:1',
    maxRetries: 0,
    logLevel: 'off',
    fetch: async () => new Response(text, { headers }),
  });
}

const body = { model: 'openai/gpt-5', max_tokens: 10, messages: [{ role: 'user' as const, content: 'Hello' }] };
const call = (id: string, text: string): ChatPiece => ({ toolCall: { id, name: 'weather', arguments: text } });

describe('streams', () => {
  it(`add up to the whole message in the SDK, in ${RUNS} of them`, async () => {
    for (let seed = 0; seed < RUNS; seed += 1) {
      const random = createRandom(seed);
      const parts = randomParts(random);
      const answer = answerOf(parts);
      const text = await textOf(piecesOf(parts, random), answer);
      const { parsed_output: _, ...message } = await clientOf(text).messages.stream(body).finalMessage();
      expect(plain(message), `seed ${seed}`).toEqual(plain(serializeMessage(answer)));
    }
  });

  it('have blocks one behind the other, where calls alternate', async () => {
    const pieces = [
      { delta: 'Let me see' },
      call('a', ''),
      call('b', '{"c'),
      call('a', '{"x":"}'),
      call('b', '":1}'),
      call('a', '"}'),
      { delta: 'Done' },
    ];
    const events = await eventsOf(pieces, answerOf([]));
    const blocks = events.filter(({ index }) => index !== undefined).map(({ type, index }) => `${type} ${index}`);
    expect(blocks.filter((each) => !each.includes('delta'))).toEqual([
      'content_block_start 0',
      'content_block_stop 0',
      'content_block_start 1',
      'content_block_stop 1',
      'content_block_start 2',
      'content_block_stop 2',
      'content_block_start 3',
      'content_block_stop 3',
    ]);
  });

  it('give a call without arguments an empty object', async () => {
    const events = await eventsOf([call('a', ''), call('b', '{}')], answerOf([]));
    const deltas = events.flatMap(({ delta }) => (delta ? [delta] : []));
    const empty = { type: 'input_json_delta', partial_json: '{}' };
    expect(deltas.slice(0, 2)).toEqual([empty, empty]);
  });

  it('begin with the message and a ping, and end with the totals', async () => {
    const events = await eventsOf([{ delta: 'Hi' }], answerOf([{ type: 'text', text: 'Hi' }]));
    expect(events.map(({ type }) => type)).toEqual([
      'message_start',
      'ping',
      'content_block_start',
      'content_block_delta',
      'content_block_stop',
      'message_delta',
      'message_stop',
    ]);
    expect(events[0]).toMatchObject({ message: { id: 'msg_01jd8w3zq5e8x', content: [], stop_reason: null } });
    expect(events[5]).toMatchObject({
      delta: { stop_reason: 'end_turn' },
      usage: { input_tokens: 30, output_tokens: 20, cache_read_input_tokens: 60, cache_creation_input_tokens: 10 },
    });
  });

  it('that fail end with an error, which the SDK throws', async () => {
    const failure = new PatchbayError('provider_bad_response', 'openai sent an invalid response');
    const text = await textOf([{ delta: 'Hi' }], failure);
    expect(text).not.toContain('message_stop');
    expect(text.trimEnd().split('\n').at(-1)).toBe(
      'data: {"type":"error","error":{"type":"api_error","message":"openai sent an invalid response"},"request_id":"request_1"}',
    );
    await expect(clientOf(text).messages.stream(body).finalMessage()).rejects.toThrow(Anthropic.APIError);
  });

  it('that end without their answer are failures', async () => {
    const stream = writeMessageStream(answerOf([]), (async function* () {})());
    const read = async () => {
      for await (const _event of stream);
    };
    await expect(read()).rejects.toThrow('without its answer');
  });

  it('end that of the gateway when the client leaves', async () => {
    let isEnded = false;
    const pieces = (async function* () {
      try {
        for (;;) yield [{ delta: 'x' }];
      } finally {
        isEnded = true;
      }
    })();
    for await (const text of writeMessageStream(answerOf([]), pieces)) if (text.includes('_delta')) break;
    expect(isEnded).toBe(true);
  });

  it('name the warnings of the answer in comments', async () => {
    const text = await textOf([], answerOf([], { warnings: ['one\ntwo'] }));
    expect(text).toContain(': warning: one two\n\nevent: message_stop\n');
  });
});

const plain = (value: unknown): unknown => JSON.parse(JSON.stringify(value));

function randomParts(random: Random): readonly AssistantPart[] {
  let calls = 0;
  const parts = random.some(0, 6, (): AssistantPart => {
    const kind = random.below(4);
    if (kind === 0) return { type: 'reasoning', text: 'Hm, "well"', by: 'openai/gpt-5', signature: 'sig' };
    if (kind === 1) return { type: 'reasoning', text: '', by: 'openai/gpt-5', encrypted: 'enc' };
    if (kind === 2) return { type: 'text', text: 'Grüße {"a": 1}' };
    const values = random.pick([{}, { city: 'B}"\\{ern', list: [[], {}] }, { deep: { a: [1, null] } }]);
    return { type: 'tool-call', id: `call_${calls++}`, name: 'weather', arguments: values };
  });
  // Pieces do not tell two texts in a row apart, and alternating calls have no order among themselves.
  return parts.filter(({ type }, index) => !(['text', 'tool-call'].includes(type) && parts[index - 1]?.type === type));
}
