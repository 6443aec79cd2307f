import { expect, it } from 'vitest';
import { answerOf } from './anthropic-messages/fixtures/answers.ts';
import { writeMessageStream } from './anthropic-messages/write-stream.ts';
import type { ChatEvent, ChatPiece } from './gateway-types.ts';
import { writeChatStream } from './openai-chat/write-stream.ts';
import { ItemWriter } from './openai-responses/item-writer.ts';

const words = ['Hello', ' "quoted"', ' grüße', ' 🚀', '\n', ' back\\slash', ' end'];
const plain = ['Hello', ' to', ' all'];
const answer = answerOf([{ type: 'text', text: 'Hello' }]);
const call = (text: string): ChatPiece => ({ toolCall: { id: 'call_1', name: 'weather', arguments: text } });

const together: readonly ChatPiece[] = [
  { reasoning: plain.join(''), pieces: plain },
  { reasoning: words.join(''), pieces: words },
  { reasoningEnd: { signature: 'proof' } },
  { delta: plain.join(''), pieces: plain },
  { delta: words.join(''), pieces: words },
  { delta: ' alone' },
];
const alone = together.flatMap((piece): readonly ChatPiece[] => {
  if (!('pieces' in piece) || !piece.pieces) return [piece];
  return piece.pieces.map((text) => ('delta' in piece ? { delta: text } : { reasoning: text }));
});

async function* streamOf(pieces: readonly ChatPiece[]): AsyncGenerator<readonly ChatEvent[]> {
  yield pieces;
  yield [{ done: answer }];
}

async function textOf(events: AsyncIterable<string>): Promise<string> {
  let text = '';
  for await (const each of events) text += each;
  return text;
}

const writers: Readonly<Record<string, (pieces: readonly ChatPiece[]) => Promise<string>>> = {
  'messages of Anthropic': (pieces) => textOf(writeMessageStream(answer, streamOf(pieces))),
  'chat completions': (pieces) => textOf(writeChatStream(answer, streamOf(pieces))),
  'items of responses': async (pieces) => {
    const head = { id: 'resp_1', model: 'acme/m' };
    const items = new ItemWriter(head, { withProofs: true, names: new Map() });
    return JSON.stringify(pieces.flatMap((piece) => [...items.write(piece)]));
  },
};

it.each(Object.keys(writers))('pieces that arrive together become the events of each, as %s', async (name) => {
  const write = writers[name] ?? (async () => '');
  const text = await write(together);
  expect(text).toBe(await write(alone));
  expect(text).toContain(' alone');
});

it('pieces that wait for a call to end become one event', async () => {
  const pieces: readonly ChatPiece[] = [
    call('{"city":'),
    { delta: plain.join(''), pieces: plain },
    { delta: ' and more' },
    call('"Bern"}'),
  ];
  const text = await textOf(writeMessageStream(answer, streamOf(pieces)));
  expect(text).toContain('"text":"Hello to all and more"');
});
