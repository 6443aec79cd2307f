import { type ChatDelta, createUpstreamClient, type StreamReader } from '@patchbay/core/provider';
import { expect, it } from 'vitest';
import { chatReader } from './chat-response.ts';

const request = { model: 'm', messages: [{ role: 'user', content: 'Hello' }] } as const;
const words = [' one', ' two', '', ' three', '"', ' ü', '\n', ' four', ' five', ' six', ' seven'];

const eventOf = (part: object, count: number, more: object = {}): object => ({
  candidates: [{ content: { parts: [part], role: 'model' }, index: 0, ...more }],
  usageMetadata: { promptTokenCount: 1, candidatesTokenCount: count, totalTokenCount: count + 1 },
  modelVersion: 'm',
});
const end = eventOf({ text: '' }, 20, { finishReason: 'STOP' });
const texts = words.map((text, index) => eventOf({ text }, index));
const thoughts = words.map((text, index) => eventOf({ text, thought: true }, index));
const signed = words.map((text, index) => eventOf({ text, thoughtSignature: 's' }, index));
const streams: Readonly<Record<string, readonly object[]>> = {
  'pieces of a text': [...texts, end],
  'pieces of thoughts before a text': [...thoughts, ...texts, end],
  'pieces of a text among signed ones': [...texts, ...signed, ...texts, end],
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
