import { describe, expect, it } from 'vitest';
import { readProof } from '../anthropic-messages/reasoning-proof.ts';
import { writeMessageStream } from '../anthropic-messages/write-stream.ts';
import { createRandom } from '../fixtures/random.ts';
import type { ChatAnswer, ChatEvent, OriginalReader } from '../gateway-types.ts';
import { plainEcho } from '../openai-responses/fixtures/echo.ts';
import { writeResponseStream } from '../openai-responses/write-stream.ts';
import { chatReader, chunkOf, said, vendorStreams, whole } from './fixtures/vendor-streams.ts';

const CUTS = 60;
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

const eventText = (event: object): string => {
  const name = 'type' in event ? `event: ${String(event.type)}\n` : '';
  return `${name}data: ${JSON.stringify(event)}\n\n`;
};
const bytesOf = (events: readonly object[]): Buffer => Buffer.from(events.map(eventText).join(''));

async function* eventsOf(text: string): AsyncGenerator<readonly ChatEvent[]> {
  yield [{ resumed: { model: 'other/model', route: 'named;resumed="other/model"' } }];
  // As a model that tokenizes otherwise.
  for (const each of text) yield [{ delta: each }];
  yield [{ done: answer }];
}

/** The text of the stream behind what was sent. */
async function continued(
  { resumePoint }: OriginalReader,
  events?: AsyncIterable<readonly ChatEvent[]>,
): Promise<string> {
  if (!resumePoint) throw new Error('nothing continues this stream');
  const rest = events ?? eventsOf(whole.slice(resumePoint.text.length));
  const pieces: Uint8Array[] = [];
  for await (const piece of resumePoint.write(rest)) pieces.push(piece);
  return Buffer.concat(pieces).toString();
}

describe.each(vendorStreams)('a stream of $api', ({ reader, opening, text, reasoning, ending, closed, read }) => {
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
      expect(rest).toContain(': Patchbay-Route: named;resumed="other/model"\n\n');
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

  it('has no mark of success behind a failure', () => {
    const from = reader();
    from.push(bytesOf([...opening, text('Hi')]));
    const failure = bytesOf([{ type: 'error', error: { type: 'server_error', message: 'Overloaded' } }]);
    const ended = Buffer.concat([failure, bytesOf(ending), Buffer.from('data: [DONE]\n\n')]);
    expect(from.push(ended)).toHaveLength(0);
    expect(Buffer.from(from.withheld).toString()).toBe(failure.toString());
  });
});

it('a stream of several chat completions is not continued', () => {
  const from = chatReader({ n: 2 });
  from.push(bytesOf([chunkOf({ content: 'Hi' })]));
  expect([from.hasOutput, from.resumePoint]).toEqual([true, undefined]);
});

it('a message that lacks only its last event receives it: the SDK would read none otherwise', async () => {
  const vendor = vendorStreams.find(({ api }) => api.includes('messages'));
  if (!vendor) throw new Error('messages are not among the streams');
  const { reader, opening, text, ending, read } = vendor;
  const from = reader();
  const stream = bytesOf([...opening, ...said.map(text), ...ending.slice(0, -1)]);
  // Even the line behind the event before it may be missing.
  for (const bytes of [stream, stream.subarray(0, -2)]) {
    const cut = reader();
    const pushed = cut.push(bytes);
    expect(cut.end()).toMatchObject({ finishReason: 'stop' });
    const passed = Buffer.concat([pushed, cut.flush()]).toString();
    expect(passed.match(/"message_stop"/g)).toHaveLength(1);
    expect((await read(passed)).text).toBe(whole);
  }
  from.push(bytesOf([...opening, ...said.map(text), ...ending]));
  expect(from.flush()).toHaveLength(0);
});

it.each([
  ['function_call', { functions: [{ name: 'f' }] }],
  ['tool_calls', { functions: null }],
])('calls of the next model stand in %s for a request with %j', async (name, more) => {
  async function* calling(): AsyncGenerator<readonly ChatEvent[]> {
    yield [{ toolCall: { id: 'a', name: 'f', arguments: '{}' } }];
    yield [{ done: answer }];
  }
  const from = chatReader(more);
  from.push(bytesOf([chunkOf({ content: 'Hi' })]));
  expect(await continued(from, calling())).toContain(`"${name}":`);
});

it.each([
  ['messages', (events: AsyncIterable<readonly ChatEvent[]>) => writeMessageStream(answer, events)],
  [
    'responses',
    (events: AsyncIterable<readonly ChatEvent[]>) =>
      writeResponseStream(answer, events, { echo: plainEcho, withProofs: true, names: new Map(), now: () => 0 }),
  ],
])('translated %s have the reasoning of both models, each with its name', async (_, write) => {
  async function* reasoning(): AsyncGenerator<readonly ChatEvent[]> {
    yield [{ reasoning: 'A.' }];
    yield [{ resumed: { model: 'other/model', route: 'named' } }];
    yield [{ reasoning: 'B.' }];
    yield [{ delta: whole }];
    yield [{ done: answer }];
  }
  let stream = '';
  for await (const piece of write(reasoning())) stream += piece;
  const proofs = [...stream.matchAll(/"(?:signature|encrypted_content)":"(\w+\.[^"]+)"/g)].map(
    ([, proof = '']) => proof,
  );
  const names = proofs.map((proof) => readProof(proof)?.by);
  expect(names.slice(0, 2)).toEqual([answer.model, 'other/model']);
});
