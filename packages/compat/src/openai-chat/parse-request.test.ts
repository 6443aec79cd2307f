import { PatchbayError } from '@patchbay/core/plugin';
import type OpenAI from 'openai';
import { describe, expect, it } from 'vitest';
import { parseChatRequest } from './parse-request.ts';

const messages: OpenAI.ChatCompletionMessageParam[] = [{ role: 'user', content: 'Hi' }];
const tool = { type: 'function', function: { name: 'find', parameters: { type: 'object' } } };
const weather = { type: 'function', function: { name: 'weather' } };
const noParameters = { type: 'object', properties: {} };

const parse = (members: object) => parseChatRequest({ model: 'acme/model', messages, ...members });
const inputOf = (members: object) => {
  const { model: _, messages: _messages, ...rest } = parse(members).input;
  return rest;
};

/** `param`, the code and the sentence of a refusal. */
function refusalOf(members: object) {
  try {
    parse(members);
  } catch (error) {
    if (!PatchbayError.is(error)) throw error;
    return { pointer: error.errors[0]?.pointer, code: error.errors[0]?.code, message: error.message };
  }
  return undefined;
}

describe('parseChatRequest', () => {
  it('reads the smallest request', () => {
    expect(parse({})).toEqual({
      choice: { model: 'acme/model' },
      input: { model: 'acme/model', messages },
      stream: false,
      includeUsage: false,
      asFunctionCall: false,
      warnings: [],
      announced: [],
    });
  });

  it.each<[OpenAI.ChatCompletionCreateParams | object, object]>([
    [
      { temperature: 0, top_p: 0.5, frequency_penalty: -2, presence_penalty: 2 },
      { temperature: 0, topP: 0.5, frequencyPenalty: -2, presencePenalty: 2 },
    ],
    [{ max_tokens: 5 }, { maxTokens: 5 }],
    [{ max_completion_tokens: 5, max_tokens: 5 }, { maxTokens: 5 }],
    [{ stop: 'x' }, { stop: ['x'] }],
    [{ stop: ['x', 'y'] }, { stop: ['x', 'y'] }],
    [{ stop: [] }, {}],
    [
      { seed: 7, reasoning_effort: 'minimal' },
      { seed: 7, reasoningEffort: 'minimal' },
    ],
    [{ response_format: { type: 'text' } }, {}],
    [{ response_format: { type: 'json_object' } }, { responseJson: true }],
    [
      { tools: [tool], parallel_tool_calls: false },
      { tools: [{ name: 'find', parameters: { type: 'object' } }], parallelToolCalls: false },
    ],
    [
      { tools: [weather], tool_choice: 'required' },
      { tools: [{ name: 'weather', parameters: noParameters }], toolChoice: 'required' },
    ],
    [
      { tools: [weather], tool_choice: weather },
      { tools: [{ name: 'weather', parameters: noParameters }], toolChoice: { name: 'weather' } },
    ],
    [
      {
        tools: [tool, weather],
        tool_choice: { type: 'allowed_tools', allowed_tools: { mode: 'required', tools: [weather] } },
      },
      { tools: [{ name: 'weather', parameters: noParameters }], toolChoice: 'required' },
    ],
    [{ tools: [], tool_choice: 'auto' }, {}],
    [
      { functions: [{ name: 'old' }], function_call: { name: 'old' } },
      { tools: [{ name: 'old', parameters: noParameters }], toolChoice: { name: 'old' }, parallelToolCalls: false },
    ],
    [{ routing: { optimize: 'cost', fallbacks: ['a/b'] } }, { routing: { optimize: 'cost', fallbacks: ['a/b'] } }],
    // Members that ask for the default change nothing.
    [
      {
        n: 1,
        logprobs: false,
        top_logprobs: 0,
        logit_bias: {},
        modalities: ['text'],
        store: false,
        service_tier: 'auto',
      },
      {},
    ],
    [
      {
        temperature: null,
        stop: null,
        tools: null,
        stream: null,
        audio: null,
        user: null,
        metadata: null,
        unknown: null,
      },
      {},
    ],
  ])('maps %j', (members, input) => {
    expect(inputOf(members)).toEqual(input);
    expect(parse(members)).toMatchObject({ warnings: [], announced: [] });
  });

  it('reads how the answer is to be sent', () => {
    expect(parse({ stream: true })).toMatchObject({ stream: true, includeUsage: false });
    expect(parse({ stream: true, stream_options: { include_usage: true } })).toMatchObject({ includeUsage: true });
    expect(parse({ functions: [{ name: 'old' }] }).asFunctionCall).toBe(true);
  });

  it('keeps a response format as it was sent', () => {
    const schema = { type: 'object', properties: { a: { type: 'string' } } };
    const response_format = { type: 'json_schema', json_schema: { name: 'answer', strict: true, schema } };
    expect(inputOf({ response_format })).toEqual({
      responseSchema: schema,
      extra: { 'openai-chat': { response_format } },
    });
  });

  it('keeps what only OpenAI has, and unknown members, and says so', () => {
    const members = JSON.parse(
      '{"user":"u","metadata":{"a":"b"},"verbosity":"low","prompt_cache_key":"k","top_k":5,"__proto__":{"a":1}}',
    ) as object;
    const { input, announced } = parseChatRequest({ model: 'm', messages, ...members });
    expect(JSON.stringify(input.extra?.['openai-chat'])).toBe(JSON.stringify(members));
    expect(announced).toEqual(
      Object.keys(members).map((name) => `${name} is sent to models with the API of OpenAI only`),
    );
  });

  it('bounds the warnings, which become a header', () => {
    const many = Object.fromEntries(Array.from({ length: 1_000 }, (_, index) => [`é${index}\n${'x'.repeat(500)}`, 1]));
    const { announced } = parse(many);
    expect(announced.join('').length).toBeLessThan(8_000);
    expect(announced.join('')).toMatch(/^[ -~]+$/);
  });

  it('says what it scales', () => {
    expect(parse({ reasoning_effort: 'max' })).toMatchObject({
      input: { reasoningEffort: 'xhigh' },
      warnings: ['reasoning_effort "max" is sent as "xhigh"'],
    });
  });

  it.each([
    ['/n', 'unsupported_value', { n: 2 }],
    ['/logprobs', 'unsupported_parameter', { logprobs: true }],
    ['/top_logprobs', 'unsupported_parameter', { top_logprobs: 3 }],
    ['/logit_bias', 'unsupported_parameter', { logit_bias: { '50256': -100 } }],
    ['/modalities', 'unsupported_value', { modalities: ['text', 'audio'] }],
    ['/audio', 'unsupported_parameter', { audio: { voice: 'alloy', format: 'wav' } }],
    ['/store', 'unsupported_value', { store: true }],
    ['/service_tier', 'unsupported_value', { service_tier: 'priority' }],
    ['/moderation', 'unsupported_parameter', { moderation: { model: 'm' } }],
    ['/web_search_options', 'unsupported_parameter', { web_search_options: {} }],
    ['/tools/0/type', 'unsupported_value', { tools: [{ type: 'custom', custom: { name: 'a' } }] }],
    [
      '/tool_choice/type',
      'unsupported_value',
      { tools: [tool], tool_choice: { type: 'custom', custom: { name: 'a' } } },
    ],
    ['/model', 'missing_required_parameter', { model: undefined }],
    ['/model', 'invalid_type', { model: 7 }],
    ['/messages', 'missing_required_parameter', { messages: undefined }],
    ['/messages', 'invalid_value', { messages: [] }],
    ['/temperature', 'invalid_value', { temperature: 2.1 }],
    ['/temperature', 'invalid_type', { temperature: '1' }],
    ['/max_tokens', 'invalid_value', { max_tokens: 0 }],
    ['/max_tokens', 'invalid_value', { max_tokens: 1, max_completion_tokens: 2 }],
    ['/seed', 'invalid_type', { seed: 1.5 }],
    ['/stop/1', 'invalid_value', { stop: ['a', ''] }],
    ['/stream', 'invalid_type', { stream: 'true' }],
    ['/stream_options', 'invalid_value', { stream_options: { include_usage: true } }],
    ['/tool_choice', 'invalid_value', { tool_choice: 'required' }],
    ['/tool_choice/function/name', 'invalid_value', { tools: [tool], tool_choice: weather }],
    ['/tools/0/function/name', 'missing_required_parameter', { tools: [{ type: 'function', function: {} }] }],
    ['/tools/0/function/name', 'invalid_value', { tools: [{ type: 'function', function: { name: 'a b' } }] }],
    [
      '/tools/0/function/parameters',
      'invalid_type',
      { tools: [{ type: 'function', function: { name: 'a', parameters: [] } }] },
    ],
    ['/functions', 'invalid_value', { tools: [tool], functions: [{ name: 'a' }] }],
    ['/response_format/type', 'invalid_value', { response_format: { type: 'xml' } }],
    [
      '/response_format/json_schema/schema',
      'missing_required_parameter',
      { response_format: { type: 'json_schema', json_schema: { name: 'a' } } },
    ],
    ['/metadata/a', 'invalid_type', { metadata: { a: 1 } }],
    ['/routing/optimise', 'unsupported_parameter', { routing: { optimise: 'cost' } }],
    ['/routing/fallbacks', 'invalid_value', { routing: { fallbacks: ['a', 'b', 'c', 'd'] } }],
  ])('refuses %s: %s', (pointer, code, members) => {
    expect(refusalOf(members)).toMatchObject({ pointer, code });
  });

  it('says in one sentence what is wrong', () => {
    expect(refusalOf({ n: 2 })?.message).toBe('n must be 1 for this model: send one request for each choice');
    expect(refusalOf({ temperature: 3 })?.message).toBe('temperature must be at most 2');
    expect(refusalOf({ reasoning_effort: 'huge' })?.message).toMatch(/^reasoning_effort must be one of "none", /);
  });

  it.each([[null], [[]], ['text'], [undefined]])('refuses a body that is %j', (body) => {
    expect(() => parseChatRequest(body)).toThrow(PatchbayError);
  });
});
