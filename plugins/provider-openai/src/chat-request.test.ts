import type { JsonObject, Schema } from '@patchbay/core/plugin';
import type { ChatRequest, Tool } from '@patchbay/core/provider';
import { describe, expect, it } from 'vitest';
import { catalogue } from './catalogue.ts';
import { chatRequest } from './chat-request.ts';
import { presets } from './presets.ts';

const question = { role: 'user', content: 'Hi' } as const;
const parameters: Schema = { type: 'object', properties: { city: { type: 'string', minLength: 1 } } };
const tool: Tool = { name: 'find', description: 'Finds.', parameters };

function build(request: Partial<ChatRequest>, model = 'gpt-4.1') {
  const known = catalogue.find(({ name }) => name === model) ?? { name: model, capabilities: ['chat'] as const };
  return chatRequest('openai', known, { model, messages: [question], ...request });
}

describe('chatRequest', () => {
  it('sends what was asked for and nothing else', () => {
    expect(build({})).toEqual({ body: { model: 'gpt-4.1', messages: [question] }, warnings: [] });
    const sampling = { maxTokens: 5, temperature: 0, topP: 1, frequencyPenalty: 0.5, presencePenalty: -0.5 };
    expect(build(sampling).body).toEqual({
      model: 'gpt-4.1',
      messages: [question],
      max_completion_tokens: 5,
      temperature: 0,
      top_p: 1,
      frequency_penalty: 0.5,
      presence_penalty: -0.5,
    });
  });

  it('uses the old name of maxTokens at servers that are not OpenAI', () => {
    expect(build({ maxTokens: 5 }, 'llama').body).toEqual({ model: 'llama', messages: [question], max_tokens: 5 });
  });

  it.each([
    [undefined, undefined],
    ['auto', 'auto'],
    ['none', 'none'],
    ['required', 'required'],
    [{ name: 'find' }, { type: 'function', function: { name: 'find' } }],
  ] as const)('offers tools with the choice %j', (toolChoice, choice) => {
    const { body, warnings } = build({ tools: [tool], ...(toolChoice ? { toolChoice } : {}) });
    expect(body.tools).toEqual([{ type: 'function', function: { name: 'find', description: 'Finds.', parameters } }]);
    expect(body.tool_choice).toEqual(choice);
    expect(warnings).toEqual([]);
  });

  it('sends tools as they were given, and strict where the caller wants it', () => {
    const strict = {
      ...tool,
      extra: { 'openai-chat': { strict: true }, 'anthropic-messages': { defer_loading: true } },
    };
    const { body, warnings } = build({ tools: [tool, strict], parallelToolCalls: false });
    expect(body.tools).toEqual([
      { type: 'function', function: { name: 'find', description: 'Finds.', parameters } },
      { type: 'function', function: { name: 'find', description: 'Finds.', parameters, strict: true } },
    ]);
    expect(body.parallel_tool_calls).toBe(false);
    expect(warnings).toEqual(['members that only anthropic-messages has were not sent: defer_loading']);
    // Without tools, OpenAI refuses it.
    expect(build({ parallelToolCalls: false, toolChoice: 'none' }).body).toEqual({
      model: 'gpt-4.1',
      messages: [question],
    });
  });

  it('sends stop sequences, a seed and an effort', () => {
    expect(build({ stop: ['a', 'b'], seed: 7, reasoningEffort: 'low' }, 'gpt-6-luna').body).toMatchObject({
      stop: ['a', 'b'],
      seed: 7,
      reasoning_effort: 'low',
    });
    expect(build({ reasoningEffort: 'none' }).body).not.toHaveProperty('reasoning_effort');
  });

  it.each<[string, Partial<ChatRequest>]>([
    ['five stop sequences', { stop: ['a', 'b', 'c', 'd', 'e'] }],
    ['an effort of a model without reasoning', { reasoningEffort: 'high' }],
    ['several choices', { extra: { 'openai-chat': { n: 2 } } }],
    ['spoken answers', { extra: { 'openai-chat': { modalities: ['text', 'audio'] } } }],
  ])('refuses %s', (_, request) => {
    expect(() => build(request)).toThrow(expect.objectContaining({ code: 'unsupported_parameter' }));
  });

  it('leaves it to other servers how many stop sequences they take', () => {
    expect(build({ stop: ['a', 'b', 'c', 'd', 'e'], reasoningEffort: 'high' }, 'llama').body.stop).toHaveLength(5);
  });

  it('sends the members of its own format, but for those that are not of the caller', () => {
    const extra = {
      'openai-chat': { logit_bias: { 50256: -100 }, metadata: { a: 'b' }, n: 1, model: 'other', stream: true },
      'openai-responses': { safety_identifier: 'user-1', truncation: 'auto' },
      'google-generate': { topK: 3 },
    };
    expect(build({ extra })).toEqual({
      body: {
        model: 'gpt-4.1',
        messages: [question],
        logit_bias: { 50256: -100 },
        metadata: { a: 'b' },
        n: 1,
        safety_identifier: 'user-1',
      },
      warnings: [
        'members that only openai-responses has were not sent: truncation',
        'members that only google-generate has were not sent: topK',
      ],
    });
  });

  it('uses the names of the server', () => {
    const known = { name: 'm', capabilities: ['chat'] } as const;
    const ask = (preset: string, request: Partial<ChatRequest>) =>
      chatRequest('acme', known, { model: 'm', messages: [question], ...request }, presets[preset]).body;
    expect(ask('mistral', { seed: 7 })).toEqual({ model: 'm', messages: [question], random_seed: 7 });
    expect(ask('deepseek', { reasoningEffort: 'none' })).toMatchObject({ thinking: { type: 'disabled' } });
    expect(ask('deepseek', { reasoningEffort: 'high' })).toMatchObject({ reasoning_effort: 'high' });
  });

  it.each<[string, NonNullable<ChatRequest['reasoningEffort']>, object, readonly string[]]>([
    ['groq', 'none', { reasoning_effort: 'none' }, []],
    ['groq', 'medium', { reasoning_effort: 'medium' }, []],
    ['groq', 'minimal', { reasoning_effort: 'low' }, ['acme has no reasoningEffort minimal: it was sent as low']],
    ['ollama', 'xhigh', { reasoning_effort: 'high' }, ['acme has no reasoningEffort xhigh: it was sent as high']],
    ['together', 'none', { reasoning: { enabled: false } }, []],
    ['mistral', 'xhigh', { reasoning_effort: 'xhigh' }, []],
    ['vllm', 'minimal', { reasoning_effort: 'minimal' }, []],
  ])('%s is asked for the effort %s in a level that it knows', (preset, reasoningEffort, members, warnings) => {
    const known = { name: 'm', capabilities: ['chat'] } as const;
    const request = { model: 'm', messages: [question], reasoningEffort };
    expect(chatRequest('acme', known, request, presets[preset])).toEqual({
      body: { model: 'm', messages: [question], ...members },
      warnings,
    });
  });

  it('switches reasoning off where tools are not taken otherwise, and says so', () => {
    expect(build({ tools: [] }, 'gpt-6-luna').body).toEqual({ model: 'gpt-6-luna', messages: [question] });
    const { body, warnings } = build({ tools: [tool] }, 'gpt-6-luna');
    expect(body.reasoning_effort).toBe('none');
    expect(build({ tools: [tool], reasoningEffort: 'none' }, 'gpt-6-luna').warnings).toEqual([]);
    expect(warnings).toEqual(['openai/gpt-6-luna answers without reasoning, because it takes no tools otherwise']);
  });
});

describe('responseSchema', () => {
  const format = (responseSchema: Schema) => {
    const { body, warnings } = build({ responseSchema });
    return { ...body.response_format, warnings };
  };
  const point: Schema = {
    type: 'object',
    properties: { x: { type: 'number', minimum: 0 }, label: { type: ['string', 'null'], maxLength: 9 } },
    required: ['x', 'label'],
  };

  it('responseSchema is enforced, as far as OpenAI can', () => {
    expect(format(point)).toEqual({
      type: 'json_schema',
      json_schema: {
        name: 'answer',
        strict: true,
        schema: {
          type: 'object',
          properties: {
            x: { type: 'number', minimum: 0 },
            label: { type: ['string', 'null'], description: 'maxLength: 9' },
          },
          required: ['x', 'label'],
          additionalProperties: false,
        },
      },
      warnings: ['maxLength in the response schema is only described to the model, not enforced'],
    });
  });

  const notStrict: readonly [string, Schema][] = [
    ['the member "label" is optional', { ...point, required: ['x'] }],
    ['it allows further members', { ...point, additionalProperties: true }],
    ['its root is not of type object', { type: 'array', items: point }],
    ['it has an object without declared members', { type: 'object' }],
    [
      'the member "x" is optional',
      { type: 'object', properties: { a: { type: 'array', items: { ...point, required: [] } } }, required: ['a'] },
    ],
  ];
  it.each(notStrict)('turns into a hint when strict mode cannot express it: %s', (obstacle, schema) => {
    expect(format(schema)).toEqual({
      type: 'json_schema',
      json_schema: { name: 'answer', strict: false, schema },
      warnings: [`the response schema is only described to the model, not enforced: ${obstacle}`],
    });
  });

  it('is sent as the caller wrote it for OpenAI', () => {
    const schema = { type: 'object', properties: { x: { type: 'number' } } } as const;
    const wishes = { name: 'point', description: 'A point.', strict: true };
    const ask = (json_schema: JsonObject) =>
      build({
        responseSchema: point,
        extra: { 'openai-chat': { response_format: { type: 'json_schema', json_schema } } },
      });
    expect(ask({ ...wishes, schema })).toMatchObject({
      body: { response_format: { type: 'json_schema', json_schema: { ...wishes, schema } } },
      warnings: [],
    });
    expect(ask(wishes)).toMatchObject({
      body: { response_format: { type: 'json_schema', json_schema: { ...wishes, schema: point } } },
      warnings: [],
    });
    expect(ask({ name: 'point' }).body.response_format).toMatchObject({ json_schema: { name: 'point', strict: true } });
  });

  it('JSON of any form is asked for as such', () => {
    expect(build({ responseJson: true }).body.response_format).toEqual({ type: 'json_object' });
    expect(build({ responseJson: true, responseSchema: point }).body.response_format?.type).toBe('json_schema');
  });
});
