import {
  type AssistantPart,
  type ChatDelta,
  ContentBuilder,
  createUpstreamClient,
  type JsonFields,
  type ModelInfo,
  partsOf,
} from '@patchbay/core/provider';
import { expect, it } from 'vitest';
import { chatRequest } from './chat-request.ts';
import { chatReader, readChat } from './chat-response.ts';
import { presets } from './presets.ts';
import { readError } from './read-error.ts';
import { readResponse } from './responses/response-answer.ts';
import { responseRequest } from './responses/response-request.ts';

const TURNS = 1_000;
const upstream = createUpstreamClient({ name: 'own', fetch, secrets: [], readError });
const model: ModelInfo = { name: 'm', capabilities: ['chat', 'tools', 'reasoning'] };

/** Numbers from 0 to 1 that are the same in every run: mulberry32. */
function randomFrom(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}

class Turns {
  readonly #random: () => number;

  constructor(seed: number) {
    this.#random = randomFrom(seed);
  }

  below(limit: number): number {
    return Math.floor(this.#random() * limit);
  }

  text(): string {
    const words = ['Bern', ' ', '\n', '"', '\\', '{"a":1}', 'é', '日本', '🙂', '<think>', 'data: [DONE]'];
    return Array.from({ length: 1 + this.below(6) }, () => words[this.below(words.length)]).join('');
  }

  /** The pieces that a stream cuts a text into. */
  pieces(text: string): readonly string[] {
    const letters = Array.from(text);
    const pieces: string[] = [];
    while (letters.length > 0) pieces.push(letters.splice(0, 1 + this.below(4)).join(''));
    return pieces;
  }

  call(index: number): AssistantPart {
    const values = { [this.text()]: this.text(), list: [this.below(9), null, true, { deep: this.text() }] };
    return {
      type: 'tool-call',
      id: `call${String(index).padStart(5, '0')}`,
      name: `tool_${this.below(3)}`,
      arguments: this.below(4) ? values : {},
    };
  }

  calls(): readonly AssistantPart[] {
    return Array.from({ length: this.below(4) }, (_, index) => this.call(index));
  }
}

const answered = (message: unknown) => ({ choices: [{ message, finish_reason: 'stop' }] }) as JsonFields;

/** A turn as Chat Completions has it: each kind once, in one order. */
function chatTurn(random: Turns, sealed: boolean): readonly AssistantPart[] {
  const details = [{ type: 'reasoning.text', text: random.text(), signature: random.text(), index: 0 }];
  const proof = sealed ? { encrypted: JSON.stringify(details) } : {};
  const parts: readonly AssistantPart[] = [
    // With the details, the text stands in them.
    ...(random.below(2) ? [{ type: 'reasoning' as const, text: sealed ? '' : random.text(), ...proof }] : []),
    ...(random.below(3) ? [{ type: 'text' as const, text: random.text() }] : []),
    ...(random.below(4) ? [] : [{ type: 'refusal' as const, text: random.text() }]),
    ...random.calls(),
  ];
  return parts.some(({ type }) => type !== 'reasoning') ? parts : [...parts, { type: 'text', text: 'Hi' }];
}

function chatWire(parts: readonly AssistantPart[], preset: string): JsonFields {
  const messages = [{ role: 'assistant', content: parts }] as const;
  const { body, warnings } = chatRequest('own', model, { model: 'm', messages }, presets[preset]);
  expect(warnings).toEqual([]);
  return JSON.parse(JSON.stringify(body.messages[0]));
}

it.each(['deepseek', 'groq', 'mistral', 'openrouter'])('turns come back from %s as they were sent', (preset) => {
  for (let seed = 0; seed < TURNS; seed += 1) {
    const parts = chatTurn(new Turns(seed), preset === 'openrouter');
    const request = { model: 'm', messages: [] };
    const { content } = readChat(answered(chatWire(parts, preset)), request, [], upstream);
    expect(partsOf(content), `seed ${seed}`).toEqual(parts);
  }
});

/** The wire message cut into deltas, the pieces of its calls interleaved. */
function* deltasOf(message: JsonFields, random: Turns): IterableIterator<JsonFields> {
  const { role, content, tool_calls: calls, reasoning_content: reasoning, ...rest } = message;
  yield { role, content: '' };
  for (const piece of random.pieces((reasoning ?? '') as string)) yield { reasoning_content: piece };
  if (typeof content === 'string') for (const piece of random.pieces(content)) yield { content: piece };
  else if (content !== null) yield { content };
  yield rest;
  const open = ((calls ?? []) as readonly WireCall[]).map(
    ({ function: { name, arguments: text }, ...call }, index) => ({
      first: { index, ...call, function: { name, arguments: '' } },
      pieces: [...random.pieces(text)],
      index,
    }),
  );
  for (const { first } of open) yield { tool_calls: [first] };
  while (open.some(({ pieces }) => pieces.length > 0)) {
    const one = open[random.below(open.length)];
    const piece = one?.pieces.shift();
    if (one && piece !== undefined) yield { tool_calls: [{ index: one.index, function: { arguments: piece } }] };
  }
}

interface WireCall {
  readonly id: string;
  readonly function: { readonly name: string; readonly arguments: string };
}

it('the deltas of a stream add up to the turn', async () => {
  for (let seed = 0; seed < TURNS; seed += 1) {
    const random = new Turns(seed);
    const parts = chatTurn(random, false);
    const wire = chatWire(parts, 'deepseek');
    const deltas: ChatDelta[] = [];
    const reader = chatReader({ model: 'm', messages: [] }, [], upstream);
    for (const delta of deltasOf(wire, random))
      reader.read({ name: undefined, data: { choices: [{ delta }] } }, deltas);
    reader.read({ name: undefined, data: { choices: [{ delta: {}, finish_reason: 'stop' }] } }, deltas);
    reader.end(deltas);
    const built = new ContentBuilder();
    const texts = new Map<string, string>();
    for (const delta of deltas) {
      built.take(delta);
      if (delta.type === 'tool-arguments') texts.set(delta.id, (texts.get(delta.id) ?? '') + delta.text);
    }
    expect(partsOf(built.content), `seed ${seed}`).toEqual(parts);
    const calls = parts.filter((part) => part.type === 'tool-call');
    const written = calls.map(({ id }) => JSON.parse(texts.get(id) ?? '') as unknown);
    expect(written).toEqual(calls.map((call) => call.arguments));
  }
});

/** A turn as the Responses API has it: everything as often as it comes, in any order. */
function responseTurn(random: Turns): readonly AssistantPart[] {
  const parts: AssistantPart[] = [{ type: 'text', text: random.text() }];
  for (let index = random.below(7); index > 0; index -= 1) {
    const id = { extra: { 'openai-responses': { id: `rs_${index}` } } };
    const text = random.below(3) ? random.text() : '';
    const made: readonly AssistantPart[] = [
      { type: 'text', text: random.text() },
      { type: 'refusal', text: random.text() },
      { type: 'reasoning', text, encrypted: random.text(), ...(random.below(2) ? id : {}) },
      random.call(index),
    ];
    const next = made[random.below(made.length)];
    // Texts that follow each other are one.
    const continues = parts.at(-1)?.type === next?.type && (next?.type === 'text' || next?.type === 'refusal');
    if (next && !continues) parts.push(next);
  }
  return parts;
}

it('turns come back from the Responses API as they were sent', () => {
  for (let seed = 0; seed < TURNS; seed += 1) {
    const parts = responseTurn(new Turns(seed));
    const messages = [{ role: 'assistant', content: parts }] as const;
    const { body, warnings } = responseRequest('own', model, { model: 'm', messages });
    const items = JSON.parse(JSON.stringify(body.input)) as readonly JsonFields[];
    const output = items.map((item) => (item['role'] === 'assistant' ? answeredMessage(item) : item));
    const document = { status: 'completed', output };
    const { content } = readResponse(document, { model: 'm', messages: [] }, [], upstream);
    expect(warnings).toEqual([]);
    expect(partsOf(content), `seed ${seed}`).toEqual(parts);
  }
});

/** A message as the API answers it: the text of a request may be a string. */
function answeredMessage({ content, ...message }: JsonFields): JsonFields {
  const parts = typeof content === 'string' ? [{ type: 'output_text', text: content }] : content;
  return { ...message, type: 'message', content: parts };
}
