import { createTransport } from '@patchbay/core';
import {
  type AssistantPart,
  type ChatDelta,
  ContentBuilder,
  createUpstreamClient,
  type JsonFields,
  type Message,
  type ModelInfo,
  partsOf,
} from '@patchbay/core/provider';
import { startUpstream, testContext } from '@patchbay/testing';
import { expect, it } from 'vitest';
import { chatRequest } from './chat-request.ts';
import { chatReader } from './chat-response.ts';
import { RandomConversation } from './fixtures/random-conversation.ts';
import { readConversation } from './fixtures/read-conversation.ts';
import plugin from './index.ts';
import { readError } from './read-error.ts';

const CONVERSATIONS = 1_000;
const upstreamClient = createUpstreamClient({ name: 'anthropic', fetch, secrets: [], readError });
const model: ModelInfo = { name: 'claude-own', capabilities: ['chat'] };
const newer: ModelInfo = { name: 'claude-opus-5-5', capabilities: ['chat'] };

const written = (messages: readonly Message[], info = model) => {
  const { body, warnings } = chatRequest('anthropic', info, { model: info.name, messages, maxTokens: 9 });
  return { body: JSON.parse(JSON.stringify(body)) as JsonFields, warnings };
};

it.each([model, newer])('conversations come back from a request to $name as they were', (info) => {
  for (let seed = 0; seed < CONVERSATIONS; seed += 1) {
    const messages = new RandomConversation(seed, info === newer).messages();
    const { body, warnings } = written(messages, info);
    expect(warnings, `seed ${seed}`).toEqual([]);
    expect(readConversation(body), `seed ${seed}`).toEqual(messages);
  }
});

it('conversations are taken by the API', async () => {
  const upstream = await startUpstream({ dialect: 'anthropic' });
  const transport = createTransport();
  const provider = plugin.definition.create({
    config: { baseUrl: upstream.baseUrl, apiKey: 'key-1' },
    deps: { transport },
    logger: { debug() {}, info() {}, warn() {}, error() {} },
    mount: 'providers.anthropic',
    directory: '.',
  });
  for (let seed = 0; seed < 100; seed += 1) {
    const messages = new RandomConversation(seed, true).messages();
    const request = { model: newer.name, messages, maxTokens: 9 };
    await expect(provider.chat(request, testContext()), `seed ${seed}`).resolves.toMatchObject({
      finishReason: 'stop',
    });
  }
  await transport.stop();
  await upstream.stop();
});

it('the deltas of a stream add up to the turn', async () => {
  for (let seed = 0; seed < CONVERSATIONS; seed += 1) {
    const random = new RandomConversation(seed);
    const turn = withoutMarks(random.turn());
    const { body } = written([{ role: 'assistant', content: turn }]);
    const blocks = (body['messages'] as readonly { readonly content: readonly JsonFields[] }[])[0]?.content ?? [];
    const built = new ContentBuilder();
    const texts = new Map<string, string>();
    const deltas: ChatDelta[] = [];
    const reader = chatReader({ model: 'm', messages: [] }, [], upstreamClient);
    for (const event of eventsOf(blocks, random)) reader.read(event, deltas);
    reader.end(deltas);
    for (const delta of deltas) {
      built.take(delta);
      if (delta.type === 'tool-arguments') texts.set(delta.id, (texts.get(delta.id) ?? '') + delta.text);
    }
    expect(partsOf(built.content), `seed ${seed}`).toEqual(turn);
    const calls = turn.filter((part) => part.type === 'tool-call');
    expect(calls.map(({ id }) => JSON.parse(texts.get(id) || '{}') as unknown)).toEqual(
      calls.map((call) => call.arguments),
    );
  }
});

/** As a response has them: no marks of a cache, and texts without citations, which streams do not carry. */
function withoutMarks(parts: readonly AssistantPart[]): readonly AssistantPart[] {
  const bare = parts.map((each): AssistantPart => {
    const { cache: _, ...part } = each;
    if (part.type !== 'text') return part;
    const { extra: __, ...text } = part;
    return text;
  });
  // Texts that follow each other are one in a stream.
  return bare.filter(({ type }, index) => type !== 'text' || bare[index - 1]?.type !== 'text');
}

function* eventsOf(blocks: readonly JsonFields[], random: RandomConversation) {
  const event = (data: JsonFields) => ({ name: String(data['type']), data });
  yield event({ type: 'message_start', message: { usage: { input_tokens: 1, output_tokens: 1 } } });
  for (const [index, block] of blocks.entries()) {
    const { start, deltas } = streamed(block, random);
    yield event({ type: 'content_block_start', index, content_block: start });
    for (const delta of deltas) {
      yield event({ type: 'content_block_delta', index, delta });
      if (random.below(9) === 0) yield event({ type: 'ping' });
    }
    yield event({ type: 'content_block_stop', index });
  }
  yield event({ type: 'message_delta', delta: { stop_reason: 'end_turn' }, usage: { output_tokens: 9 } });
  yield event({ type: 'message_stop' });
}

/** How the API sends a block: empty at first, and then in pieces; blocks that are encrypted are whole from the start. */
function streamed(block: JsonFields, random: RandomConversation) {
  const cut = (text: unknown, type: string, member: string) =>
    random.pieces(String(text)).map((piece) => ({ type, [member]: piece }));
  switch (block['type']) {
    case 'text':
      return { start: { ...block, text: '' }, deltas: cut(block['text'], 'text_delta', 'text') };
    case 'thinking': {
      const signature = { type: 'signature_delta', signature: block['signature'] };
      const deltas = [...cut(block['thinking'], 'thinking_delta', 'thinking'), signature];
      return { start: { ...block, thinking: '', signature: '' }, deltas };
    }
    case 'redacted_thinking':
      return { start: block, deltas: [] };
    default: {
      const deltas = cut(JSON.stringify(block['input']), 'input_json_delta', 'partial_json');
      return { start: { ...block, input: {} }, deltas: random.below(2) ? deltas : [empty, ...deltas] };
    }
  }
}

const empty = { type: 'input_json_delta', partial_json: '' };
