import { expect, it } from 'vitest';
import { messageNotes } from '../anthropic-messages/response-notes.ts';
import { sentBlocks } from '../anthropic-messages/sent-blocks.ts';
import { createRandom } from '../fixtures/random.ts';
import { chatNotes } from '../openai-chat/response-notes.ts';
import { sentChunks } from '../openai-chat/sent-chunks.ts';
import { responseNotes } from '../openai-responses/response-notes.ts';
import { sentItems } from '../openai-responses/sent-items.ts';
import { chunkOf, vendorStreams } from './fixtures/vendor-streams.ts';
import { eventReader, type ResponseNotes } from './response-reader.ts';
import type { SentStream } from './sent-stream.ts';

const words = ['word', ' a', '', ' ü', '語', '🚀', '"', '\\', '\n', '","usage":null', '0', 'data: ', '\u2028'];
const asked = { usage: null };

interface Reading {
  readonly notes: () => ResponseNotes;
  readonly sent: () => SentStream;
  /** Events beside those of the vendor. */
  readonly more: readonly ((text: string, place: number) => object)[];
}

const chat: Reading['more'] = [
  (text, place) => ({ ...chunkOf({ content: text }), obfuscation: 'x'.repeat(place % 7), ...asked }),
  (text) => ({ ...chunkOf({ content: text }), ...asked }),
  (text) => ({ ...chunkOf({ content: text }), usage: { prompt_tokens: 1, completion_tokens: 2 } }),
  (text) => ({ x: { y: 1, usage: null }, ...chunkOf({ content: text }), ...asked }),
  (text, place) => ({ ...chunkOf({ content: text }), created: place }),
  (text, place) => ({ ...chunkOf({ content: text }), id: place % 2 === 0 ? '' : `c${place}` }),
  (text, place) => ({ ...chunkOf({ content: text }), choices: [{ index: place % 2, delta: { content: text } }] }),
  (reasoning) => chunkOf({ reasoning_content: reasoning }),
  (reasoning) => chunkOf({ reasoning_content: reasoning, reasoning }),
  (text) => chunkOf({ tool_calls: [{ index: 0, function: { arguments: text } }] }),
];
const itemOf = { output_index: 1, content_index: 0, item_id: 'msg_1' };
const readings: readonly Reading[] = [
  { notes: () => chatNotes(false), sent: () => sentChunks({}), more: chat },
  { notes: () => chatNotes(true), sent: () => sentChunks({}), more: chat },
  {
    notes: messageNotes,
    sent: sentBlocks,
    more: [
      (thinking) => ({ type: 'content_block_delta', index: 0, delta: { type: 'thinking_delta', thinking } }),
      (text, place) => ({ type: 'content_block_delta', index: place % 3, delta: { type: 'text_delta', text } }),
      (signature) => ({ type: 'content_block_delta', index: 0, delta: { type: 'signature_delta', signature } }),
      (text) => ({ type: 'content_block_delta', index: 0, delta: { type: 'input_json_delta', partial_json: text } }),
    ],
  },
  {
    notes: responseNotes,
    sent: () => sentItems({ withProofs: true, now: () => 0 }),
    more: [
      (delta, place) => ({ type: 'response.output_text.delta', ...itemOf, delta, sequence_number: place }),
      (delta, place) => ({
        type: 'response.output_text.delta',
        ...itemOf,
        delta,
        logprobs: [],
        sequence_number: place,
        obfuscation: 'x'.repeat(place % 5),
      }),
      (delta) => ({ type: 'response.function_call_arguments.delta', item_id: 'fc_1', output_index: 1, delta }),
    ],
  },
];
const vendors = [vendorStreams[0], vendorStreams[0], vendorStreams[1], vendorStreams[2]];

it.each([
  ['chat completions', 0],
  ['chat completions whose usage the caller did not ask for', 1],
  ['messages', 2],
  ['responses', 3],
])('events of %s that are read together say what each says by itself', (_, index) => {
  const { notes, sent, more } = readings[index] as Reading;
  const vendor = vendors[index];
  if (!vendor) throw new Error('there is no such API');
  const random = createRandom(index + 1);
  let [reads, readsAlone] = [0, 0];
  for (let stream = 0; stream < 60; stream += 1) {
    const kinds = [random.pick([vendor.text, ...more]), random.pick([vendor.text, ...more])] as const;
    const events: object[] = [...vendor.opening];
    for (let place = 0; place < 40; place += 1) {
      const text = random.chance(90) ? ` w${place}` : random.pick(words);
      events.push((random.chance(90) ? kinds[0] : kinds[1])(text, place));
    }
    events.push(...vendor.ending);
    if (random.chance(30)) events.splice(random.below(events.length), 0, { error: { type: 'rate_limit' } });
    const end = random.pick(['\n\n', '\n\n', '\n\n', '\n\n', '\n\n', '\r\n\r\n', '\n\n: comment\n\n']);
    const texts = events.map((event) => {
      const name = 'type' in event ? `event: ${String(event.type)}\n` : '';
      return `${name}data: ${JSON.stringify(event)}${end}`;
    });
    if (random.chance(10)) texts.splice(random.below(texts.length), 0, 'data: {"cho\n\n');
    const bytes = Buffer.from(texts.join(''));

    const [joining, single] = [notes(), notes()];
    const together = eventReader(
      counting(joining, () => {
        reads += 1;
      }),
      sent(),
    );
    const alone = eventReader(
      counting(
        single,
        () => {
          readsAlone += 1;
        },
        { joins: { value: undefined } },
      ),
      sent(),
    );
    const packet = random.pick([40, 400, 4_000, 40_000, 40_000, 40_000]);
    for (let at = 0; at < bytes.length; ) {
      const part = bytes.subarray(at, at + 1 + random.below(packet));
      at += part.length;
      expect(Buffer.from(together.push(part)).toString()).toBe(Buffer.from(alone.push(part)).toString());
      expect(together.outcome).toEqual(alone.outcome);
      expect(together.hasOutput).toBe(alone.hasOutput);
      expect(together.resumePoint?.text).toBe(alone.resumePoint?.text);
      expect(together.failure?.code).toBe(alone.failure?.code);
      expect(Buffer.from(together.withheld).toString()).toBe(Buffer.from(alone.withheld).toString());
    }
    expect(Buffer.from(together.flush()).toString()).toBe(Buffer.from(alone.flush()).toString());
  }
  expect(reads).toBeLessThan(readsAlone * 0.9);
});

/** The same notes, whose documents are counted. */
function counting(notes: ResponseNotes, count: () => void, more: PropertyDescriptorMap = {}): ResponseNotes {
  const read: ResponseNotes['read'] = (document) => {
    count();
    notes.read(document);
  };
  return Object.create(notes, { read: { value: read }, ...more });
}
