import { type ChatDelta, createUpstreamClient, type StreamReader } from '@patchbay/core/provider';
import { expect, it } from 'vitest';
import { chatReader } from './chat-response.ts';
import { responseReader } from './responses/response-stream.ts';

const request = { model: 'm', messages: [{ role: 'user', content: 'Hello' }] } as const;
const words = [' word', '', 'ü', '🚀', '"', '\\', '\n', '","x":"', '0'];
const chunk = (delta: object, more: object = {}): object => ({
  id: 'c',
  created: 1,
  model: 'm',
  choices: [{ index: 0, delta, finish_reason: null }],
  usage: null,
  ...more,
});
const place = { item_id: 'msg_1', output_index: 0, content_index: 0 };
const ended = {
  status: 'completed',
  output: [],
  usage: { input_tokens: 1, output_tokens: 2, total_tokens: 3 },
  model: 'm',
};

interface Case {
  readonly reader: typeof chatReader;
  readonly kinds: readonly ((text: string, at: number) => object)[];
  readonly ending: readonly object[];
}
const cases: Readonly<Record<string, Case>> = {
  'chat completions': {
    reader: chatReader,
    kinds: [
      (content) => chunk({ content }),
      (content) => chunk({ role: 'assistant', content }),
      (content, at) => chunk({ content }, { created: at, obfuscation: 'x'.repeat(at % 5) }),
      (content) => chunk({ content, text: 'grows' }),
      (content) => chunk({ content, annotations: [{ type: 'url_citation', url: 'u' }] }),
      (text) => chunk({ reasoning_content: text }),
      (text) => chunk({ reasoning: text, reasoning_details: [{ type: 'reasoning.text', index: 0, text }] }),
      (content) => chunk({ content, reasoning_details: [{ type: 'reasoning.text', index: 0, text: 'again' }] }),
      (refusal) => chunk({ refusal }),
      (text) =>
        chunk({ tool_calls: [{ index: 0, id: 'a', function: { name: 'f', arguments: JSON.stringify(text) } }] }),
      (content, at) => chunk({ content }, { usage: { prompt_tokens: 1, completion_tokens: at } }),
    ],
    ending: [
      { choices: [{ index: 0, delta: {}, finish_reason: 'stop' }] },
      { choices: [], usage: { prompt_tokens: 1, completion_tokens: 2, total_tokens: 3 } },
    ],
  },
  responses: {
    reader: responseReader,
    kinds: [
      (delta, at) => ({ type: 'response.output_text.delta', ...place, delta, sequence_number: at }),
      (delta, at) => ({
        type: 'response.output_text.delta',
        ...place,
        delta,
        sequence_number: at,
        obfuscation: `${at}`,
      }),
      (delta) => ({ type: 'response.refusal.delta', ...place, delta }),
      (delta) => ({ type: 'response.reasoning_summary_text.delta', ...place, summary_index: 0, delta }),
      (delta, at) => ({ type: 'response.reasoning_summary_text.delta', ...place, summary_index: at % 4, delta }),
      (delta) => ({ type: 'response.reasoning_text.delta', ...place, delta }),
    ],
    ending: [{ type: 'response.completed', response: ended }],
  },
};

/** The deltas of a stream, or how it fails. */
async function deltasOf(bytes: Buffer, packet: number, given: Case, joins: boolean): Promise<readonly unknown[]> {
  async function* body() {
    for (let at = 0; at < bytes.length; at += packet) yield new Uint8Array(bytes.subarray(at, at + packet));
  }
  const headers = { 'content-type': 'text/event-stream' };
  const upstream = createUpstreamClient({
    name: 'acme',
    fetch: async () => new Response(ReadableStream.from(body()), { headers }),
    secrets: [],
    readError: () => ({}),
  });
  const { joins: joined, ...reader } = given.reader(request, [], upstream);
  const used: StreamReader = joins && joined ? { ...reader, joins: joined } : reader;
  const found: unknown[] = [];
  try {
    const lists = upstream.stream('http://localhost/', {}, new AbortController().signal, used);
    for await (const list of lists) found.push(...list.flatMap(singleDeltas));
  } catch (error) {
    found.push(String(error));
  }
  return found;
}

/** The deltas that callers receive. */
function singleDeltas(delta: ChatDelta): readonly ChatDelta[] {
  if (!('pieces' in delta) || !delta.pieces) return [delta];
  const { pieces, ...whole } = delta;
  expect(pieces.join('')).toBe(whole.text);
  return pieces.map((text) => ({ ...whole, text }));
}

it.each(Object.keys(cases))('events of %s that are read together are the deltas of each', async (name) => {
  const given = cases[name] as Case;
  let state = 5;
  const below = (bound: number): number => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return Math.floor((state / 2 ** 32) * bound);
  };
  for (let stream = 0; stream < 80; stream += 1) {
    const kinds = [below(given.kinds.length), below(given.kinds.length)];
    const events = Array.from({ length: 30 }, (_, at) => {
      const text = below(5) > 0 ? ` w${at}` : (words[below(words.length)] ?? '');
      return given.kinds[kinds[below(10) > 0 ? 0 : 1] ?? 0]?.(text, at);
    });
    const text = [...events, ...given.ending].map((event) => `data: ${JSON.stringify(event)}\n\n`).join('');
    const packet = [50, 500, 5_000][below(3)] ?? 50;
    const bytes = Buffer.from(text);
    const together = await deltasOf(bytes, packet, given, true);
    expect(together).toEqual(await deltasOf(bytes, packet, given, false));
    expect(together.length).toBeGreaterThan(0);
  }
});
