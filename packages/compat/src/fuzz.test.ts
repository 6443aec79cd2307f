import { checkPublicUrl } from '@patchbay/core';
import { PatchbayError } from '@patchbay/core/plugin';
import { fieldsOf } from '@patchbay/core/provider';
import { describe, expect, it } from 'vitest';
import { randomRequest } from './anthropic-messages/fixtures/random-request.ts';
import { writeRequest } from './anthropic-messages/fixtures/write-request.ts';
import { mapError as mapAnthropicError } from './anthropic-messages/map-error.ts';
import { parseCountTokensRequest, parseMessagesRequest } from './anthropic-messages/parse-request.ts';
import { createRandom, type Random, someValue } from './fixtures/random.ts';
import { someRequest } from './openai-chat/fixtures/conversations.ts';
import { openAiBody } from './openai-chat/fixtures/openai-body.ts';
import { mapError } from './openai-chat/map-error.ts';
import { parseChatRequest } from './openai-chat/parse-request.ts';
import { parseEmbeddingRequest } from './openai-embeddings/parse-request.ts';
import { randomResponsesBody } from './openai-responses/fixtures/random-body.ts';
import { mapError as mapResponsesError } from './openai-responses/map-error.ts';
import { parseResponsesRequest } from './openai-responses/parse-request.ts';
import { readOriginalResponse } from './openai-responses/read-original.ts';
import { TopLevel } from './top-level.ts';

const BODIES = 2_500;

const deep = (levels: number): unknown => JSON.parse(`${'['.repeat(levels)}${']'.repeat(levels)}`);

/** Values that break parsers, and the worst of what may be meant. */
const nasty: readonly unknown[] = [
  null,
  true,
  -1,
  0,
  1.5,
  1e300,
  Number.MAX_SAFE_INTEGER,
  '',
  '1',
  '\u0000',
  '\ud800',
  'x'.repeat(5_000),
  [],
  [null],
  [[]],
  {},
  deep(500),
  { type: 'text' },
  { type: 'function', function: {} },
  { type: 'custom', name: '' },
  { type: 'image_url', image_url: { url: 'http://10.0.0.1/x.png' } },
  { type: 'item_reference', id: 'msg_1' },
  { type: 'input_image', image_url: 'http://10.0.0.1/x.png' },
  { type: 'image', source: { type: 'url', url: 'http://[::1]/x.png' } },
  { type: 'document', source: { type: 'url', url: 'file:///etc/passwd' } },
  JSON.parse('{"__proto__": {"role": "user"}, "constructor": 1, "toString": []}'),
];

const names = [
  'model messages role content type text name tools tool_choice function functions arguments id tool_calls tool_call_id',
  'image_url url source data media_type input_audio file file_data cache_control reasoning_details refusal routing fallbacks',
  'n stop seed max_tokens temperature top_p stream stream_options response_format reasoning_effort metadata logit_bias user',
  'system thinking budget_tokens output_config format stop_sequences input_schema input tool_use_id is_error signature',
  'instructions include max_output_tokens call_id output summary encrypted_content allowed_tools mode previous_response_id',
  'dimensions encoding_format __proto__ constructor toString a/b~c.d',
].flatMap((line) => line.split(' '));

/** The value with one change somewhere, mostly deep within it. */
function mutated(value: unknown, random: Random): unknown {
  if (typeof value !== 'object' || value === null || random.chance(8)) {
    return random.chance(70) ? random.pick(nasty) : someValue(random);
  }
  if (Array.isArray(value)) {
    if (value.length === 0 || random.chance(5)) return [...value, random.pick(nasty)];
    const index = random.below(value.length);
    return value.with(index, mutated(value[index], random));
  }
  const entries = Object.entries(value);
  if (entries.length === 0 || random.chance(10)) {
    return Object.fromEntries([...entries, [random.pick(names), random.pick(nasty)]]);
  }
  const nested = entries.filter(([, member]) => typeof member === 'object' && member !== null);
  const [name, member] = random.pick(nested.length > 0 && random.chance(75) ? nested : entries);
  const others = entries.filter(([each]) => each !== name);
  if (random.chance(10)) return Object.fromEntries(others);
  return Object.fromEntries([...others, [name, mutated(member, random)]]);
}

/** Everything in a value that is under the name `url`. */
function* urlsIn(value: unknown): Generator<string> {
  if (typeof value !== 'object' || value === null) return;
  for (const [name, member] of Object.entries(value)) {
    if (name === 'extra' || name === 'arguments' || name === 'parameters') continue;
    if (name === 'url' && typeof member === 'string') yield member;
    else yield* urlsIn(member);
  }
}

interface Accepted {
  readonly input?: { readonly messages: readonly unknown[]; readonly tools?: readonly { readonly name: string }[] };
  readonly warnings: readonly string[];
  readonly announced: readonly string[];
}

/** The faults of a request that was accepted; none, if a provider can have it. */
function faultOf({ input, warnings, announced }: Accepted): string | undefined {
  // The text of the request is what a provider sends.
  JSON.stringify(input);
  if (![...warnings, ...announced].every((warning) => /^[ -~]{1,300}$/.test(warning))) return 'no header has this';
  if (input?.tools?.some(({ name }) => !/^[\w-]{1,128}$/.test(name))) return 'a tool without a name';
  return [...urlsIn(input?.messages ?? [])].map(checkPublicUrl).find((problem) => problem !== undefined);
}

/** The steps before a request is forwarded. Its bytes are as they were, but for the name of the model. */
function readForwarded(json: unknown): void {
  const topLevel = new TopLevel(Buffer.from(JSON.stringify(json)));
  const { original } = readOriginalResponse({ topLevel, json, header: () => undefined, known: new Map() });
  const { model: _, routing: __, ...sent } = JSON.parse(Buffer.from(original.bodyFor('m')).toString());
  const { model: ___, routing: ____, ...given } = JSON.parse(JSON.stringify(json));
  if (JSON.stringify(sent) !== JSON.stringify(given)) throw new Error('the body was changed');
}

const isParam = (param: unknown): boolean => param === null || typeof param === 'string';

const openaiShape = {
  error: {
    message: expect.any(String),
    type: 'invalid_request_error',
    param: expect.toSatisfy(isParam),
    code: expect.any(String),
  },
};
const anthropicShape = {
  type: 'error',
  error: { type: 'invalid_request_error', message: expect.any(String) },
  request_id: 'request_1',
};
const anthropicReply = (error: unknown) => mapAnthropicError(error, 'request_1');
const messagesBody = (random: Random): unknown => writeRequest(randomRequest(random));

describe.each<{
  readonly api: string;
  readonly body: (random: Random, seed: number) => unknown;
  readonly parse: (body: unknown) => Accepted;
  readonly reply: (error: unknown) => { readonly status: number; readonly body: unknown };
  readonly shape: object;
}>([
  {
    api: 'chat completions',
    body: (_, seed) => openAiBody(someRequest(seed)),
    parse: parseChatRequest,
    reply: (error) => mapError(error),
    shape: openaiShape,
  },
  {
    api: 'responses',
    body: randomResponsesBody,
    parse(body) {
      if (fieldsOf(body)) readForwarded(body);
      return parseResponsesRequest(body);
    },
    reply: (error) => mapResponsesError(error),
    shape: { error: { ...openaiShape.error, type: 'invalid_request' } },
  },
  { api: 'messages', body: messagesBody, parse: parseMessagesRequest, reply: anthropicReply, shape: anthropicShape },
  {
    api: 'counts of tokens',
    body: messagesBody,
    parse: parseCountTokensRequest,
    reply: anthropicReply,
    shape: anthropicShape,
  },
  {
    api: 'embeddings',
    body: (random) => ({ model: 'acme/model', input: random.some(1, 3, () => 'Hi'), dimensions: 3, user: 'ada' }),
    parse: parseEmbeddingRequest,
    reply: (error) => mapError(error),
    shape: openaiShape,
  },
])('random bodies of $api', ({ body, parse, reply, shape }) => {
  it('are a request that a provider can have, or a 400 in the words of the API with one place', () => {
    let refused = 0;
    const faults: unknown[] = [];
    const replies: unknown[] = [];
    const bodies = Array.from({ length: 50 }, (_, seed): unknown =>
      JSON.parse(JSON.stringify(body(createRandom(seed), seed))),
    );
    for (let seed = 0; seed < BODIES; seed += 1) {
      const random = createRandom(seed);
      const valid = bodies[seed % bodies.length];
      const changed = random.some(1, 3, () => 0).reduce((value: unknown) => mutated(value, random), valid);
      try {
        const fault = faultOf(parse(changed));
        if (fault !== undefined) faults.push({ seed, fault, changed });
      } catch (error) {
        refused += 1;
        const isOne = PatchbayError.is(error) && error.code === 'invalid_request' && error.errors.length === 1;
        const { status, body: document } = reply(error);
        if (!isOne || status !== 400) faults.push({ seed, fault: String(error), changed });
        replies.push(document);
      }
    }
    expect(faults.slice(0, 1)).toEqual([]);
    // One in a hundred: to compare them takes longer than the rest.
    const some = replies.filter((_, index) => index % 100 === 0);
    expect(some).toEqual(some.map(() => expect.objectContaining(shape)));
    // Both outcomes must occur.
    expect(refused).toBeGreaterThan(BODIES / 5);
    expect(refused).toBeLessThan(BODIES * 0.95);
  });
});
