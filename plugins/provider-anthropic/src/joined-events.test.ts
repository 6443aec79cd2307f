import { type ChatDelta, createUpstreamClient, type StreamReader } from '@patchbay/core/provider';
import { expect, it } from 'vitest';
import { chatReader } from './chat-response.ts';

const request = { model: 'm', messages: [{ role: 'user', content: 'Hello' }] } as const;
const words = [' one', ' two', '', ' three', '"', ' ü', '\n', ' four', ' five', ' six', ' seven'];

const blockOf = (type: string, deltas: readonly object[], index: number, start: object): readonly object[] => [
  { type: 'content_block_start', index, content_block: { type, ...start } },
  ...deltas.map((delta) => ({ type: 'content_block_delta', index, delta })),
  { type: 'content_block_stop', index },
];
const texts = words.map((text) => ({ type: 'text_delta', text }));
const thoughts = words.map((thinking) => ({ type: 'thinking_delta', thinking }));
const messageOf = (...blocks: readonly (readonly object[])[]): readonly object[] => [
  { type: 'message_start', message: { model: 'm', content: [], usage: { input_tokens: 1, output_tokens: 1 } } },
  ...blocks.flat(),
  { type: 'message_delta', delta: { stop_reason: 'end_turn' }, usage: { output_tokens: 2 } },
  { type: 'message_stop' },
];
const signed = [...thoughts, { type: 'signature_delta', signature: 's' }];
const streams: Readonly<Record<string, readonly object[]>> = {
  'pieces of a text': messageOf(blockOf('text', texts, 0, { text: '' })),
  'pieces of two texts': messageOf(blockOf('text', texts, 0, { text: '' }), blockOf('text', texts, 1, { text: 'x' })),
  'pieces of thinking before a text': messageOf(
    blockOf('thinking', signed, 0, { thinking: '', signature: '' }),
    blockOf('text', texts, 1, { text: '' }),
  ),
};

/** The deltas of a stream whose events arrive together, and how many times its reader was called. */
async function deltasOf(
  events: readonly object[],
  joins: boolean,
): Promise<{ readonly deltas: readonly ChatDelta[]; readonly reads: number }> {
  const text = events.map((event) => `data: ${JSON.stringify(event)}\n\n`).join('');
  const upstream = createUpstreamClient({
    name: 'acme',
    fetch: async () => new Response(text, { headers: { 'content-type': 'text/event-stream' } }),
    secrets: [],
    readError: () => ({}),
  });
  const { joins: joined, ...reader } = chatReader(request, [], upstream);
  let reads = 0;
  const used: StreamReader = {
    ...reader,
    ...(joins && joined && { joins: joined }),
    read(event, found) {
      reads += 1;
      return reader.read(event, found);
    },
  };
  const deltas: ChatDelta[] = [];
  const lists = upstream.stream('http://localhost/', {}, new AbortController().signal, used);
  for await (const list of lists) deltas.push(...list.flatMap(singleDeltas));
  return { deltas, reads };
}

/** The deltas that callers receive. */
function singleDeltas(delta: ChatDelta): readonly ChatDelta[] {
  if (!('pieces' in delta) || !delta.pieces) return [delta];
  const { pieces, ...whole } = delta;
  expect(pieces.join('')).toBe(whole.text);
  return pieces.map((text) => ({ ...whole, text }));
}

it.each(Object.keys(streams))('%s that are read together are the deltas of each', async (name) => {
  const events = streams[name] ?? [];
  const [together, alone] = [await deltasOf(events, true), await deltasOf(events, false)];
  expect(together.deltas).toEqual(alone.deltas);
  expect(together.reads).toBeLessThan(alone.reads);
});
