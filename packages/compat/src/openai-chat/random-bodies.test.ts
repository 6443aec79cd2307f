import { PatchbayError } from '@patchbay/core/plugin';
import { describe, expect, it } from 'vitest';
import { parseEmbeddingRequest } from '../openai-embeddings/parse-request.ts';
import { someRequest } from './fixtures/conversations.ts';
import { openAiBody } from './fixtures/openai-body.ts';
import { createRandom, type Random, someText, someValue } from './fixtures/random.ts';
import { mapError } from './map-error.ts';
import { parseChatRequest } from './parse-request.ts';

const BODIES = 1_000;

const names = [
  'audio frequency_penalty function_call functions logit_bias logprobs max_completion_tokens max_tokens messages metadata',
  'modalities model moderation n parallel_tool_calls prediction presence_penalty prompt_cache_key prompt_cache_options',
  'reasoning_effort response_format routing seed service_tier stop store stream stream_options temperature tool_choice',
  'tools top_logprobs top_p user verbosity web_search_options __proto__ constructor toString role content tool_calls',
  'tool_call_id name refusal type text image_url input_audio file url file_data function arguments id cache_control',
  'reasoning_details input dimensions encoding_format',
].flatMap((line) => line.split(' '));

/** A value with something within it changed, removed or added. */
function mutated(value: unknown, random: Random): unknown {
  if (random.chance(15)) return random.chance(50) ? someValue(random) : { [random.pick(names)]: someValue(random) };
  if (Array.isArray(value) && value.length > 0)
    return value.with(random.below(value.length), mutated(random.pick(value), random));
  if (typeof value !== 'object' || value === null) return random.pick([someValue(random), someText(random), value]);
  const entries = Object.entries(value);
  const name = random.chance(70) && entries.length > 0 ? random.pick(entries)[0] : random.pick(names);
  const rest = entries.filter(([each]) => each !== name);
  if (random.chance(15)) return Object.fromEntries(rest);
  const member = (value as Readonly<Record<string, unknown>>)[name];
  return Object.fromEntries([...rest, [name, mutated(member, random)]]);
}

/** A body of OpenAI with up to three faults: in half of them in the messages, which have the most places for some. */
function someBody(seed: number): unknown {
  const random = createRandom(seed);
  // As it comes over the wire.
  const body = JSON.parse(JSON.stringify(openAiBody(someRequest(seed)))) as { readonly messages: unknown };
  const changes = 1 + random.below(3);
  const change = (value: unknown): unknown =>
    Array.from({ length: changes }).reduce((changed: unknown) => mutated(changed, random), value);
  return random.chance(50) ? { ...body, messages: change(body.messages) } : change(body);
}

/** What is wrong with the outcome of a parser; nothing, if it is a request or the 400. */
function faultOf(parse: (body: unknown) => unknown, body: unknown): unknown {
  try {
    parse(body);
    return undefined;
  } catch (error) {
    if (!PatchbayError.is(error) || error.code !== 'invalid_request' || error.errors.length !== 1) return error;
    const reply = mapError(error);
    return reply.status === 400 ? undefined : reply;
  }
}

describe('generated bodies', () => {
  it('are a request or a 400, and never another failure', () => {
    let refused = 0;
    for (let seed = 0; seed < BODIES; seed += 1) {
      const body = someBody(seed);
      const text = JSON.stringify(body) ?? 'null';
      for (const parse of [parseChatRequest, parseEmbeddingRequest]) {
        expect(faultOf(parse, JSON.parse(text)), `seed ${seed}: ${text}`).toBeUndefined();
      }
      try {
        parseChatRequest(body);
      } catch {
        refused += 1;
      }
    }
    // Both sides have to be met.
    expect(refused).toBeGreaterThan(BODIES / 5);
    expect(refused).toBeLessThan(BODIES);
  });
});
