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
const upstreamClient = createUpstreamClient({ name: 'google', fetch, secrets: [], readError });
const model: ModelInfo = { name: 'gemini-3.8-flash', capabilities: ['chat'] };

function written(messages: readonly Message[]) {
  const { body, warnings } = chatRequest('google', model, { model: model.name, messages });
  return { body: JSON.parse(JSON.stringify(body)) as JsonFields, warnings };
}

it('conversations come back from a request as they were', () => {
  for (let seed = 0; seed < CONVERSATIONS; seed += 1) {
    const messages = new RandomConversation(seed).messages();
    const { body, warnings } = written(messages);
    expect(warnings, `seed ${seed}`).toEqual([]);
    expect(readConversation(body), `seed ${seed}`).toEqual(messages);
  }
});

it('conversations are taken by the API', async () => {
  const upstream = await startUpstream({ dialect: 'google' });
  const transport = createTransport();
  const provider = plugin.definition.create({
    config: { baseUrl: upstream.baseUrl, apiKey: 'key-1', apiVersion: 'v1beta' },
    deps: { transport },
    logger: { debug() {}, info() {}, warn() {}, error() {} },
    mount: 'providers.google',
    directory: '.',
  });
  for (let seed = 0; seed < 100; seed += 1) {
    const request = { model: model.name, messages: new RandomConversation(seed).messages() };
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
    const turn = joined(random.turn());
    const { body } = written([{ role: 'assistant', content: turn }]);
    const [content] = body['contents'] as readonly JsonFields[];
    const built = new ContentBuilder();
    const deltas: ChatDelta[] = [];
    const reader = chatReader({ model: 'm', messages: [] }, [], upstreamClient);
    for (const event of eventsOf(content?.['parts'] as readonly JsonFields[], random)) reader.read(event, deltas);
    reader.end(deltas);
    for (const delta of deltas) built.take(delta);
    expect(partsOf(built.content), `seed ${seed}`).toEqual(turn);
  }
});

/** As streams tell parts apart: a text goes on with the next one, and so does a thought that has no signature. */
function joined(parts: readonly AssistantPart[]): readonly AssistantPart[] {
  const kept: AssistantPart[] = [];
  for (const part of parts) {
    const last = kept.at(-1);
    const isOpen = last?.type === 'text' || (last?.type === 'reasoning' && !last.signature && !last.extra);
    const goesOn = isOpen && last.type === part.type && 'text' in part && part.text !== '';
    if (!goesOn) kept.push(part);
  }
  return kept;
}

function* eventsOf(parts: readonly JsonFields[], random: RandomConversation) {
  const event = (part: JsonFields, more: JsonFields = {}) => ({
    name: undefined,
    data: { candidates: [{ content: { role: 'model', parts: [part] }, ...more }] },
  });
  for (const part of parts) {
    const { text, thoughtSignature: _, ...rest } = part;
    const pieces = typeof text === 'string' ? random.pieces(text) : [];
    for (const piece of pieces.slice(0, -1)) yield event({ ...rest, text: piece });
    // Members beside the text come with its last piece.
    yield event(pieces.length > 0 ? { ...part, text: pieces.at(-1) } : part);
  }
  yield event({ text: '' }, { finishReason: 'STOP' });
}
