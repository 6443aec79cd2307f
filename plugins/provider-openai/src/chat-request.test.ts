import type { Schema } from '@patchbay/core/plugin';
import type { ChatRequest, Tool } from '@patchbay/core/provider';
import { describe, expect, it } from 'vitest';
import { catalogue } from './catalogue.ts';
import { chatRequest } from './chat-request.ts';

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

  it('writes messages of every kind', () => {
    const id = `call_1.${'x'.repeat(80)}`;
    const { messages } = build({
      messages: [
        { role: 'system', content: [{ type: 'text', text: 'Be brief.' }] },
        {
          role: 'user',
          content: [
            { type: 'text', text: 'What is this?' },
            { type: 'image', url: 'https://example.test/a.png' },
            { type: 'image', data: 'AA==', mediaType: 'image/png' },
          ],
        },
        { role: 'assistant', content: '', toolCalls: [{ id, name: 'find', arguments: { city: 'Bern' } }] },
        { role: 'tool', content: 'sunny', toolCallId: id },
        { role: 'assistant', content: 'Sunny.' },
      ],
    }).body;
    const short = expect.stringMatching(/^call_[0-9a-f]{32}$/);
    expect(messages).toEqual([
      { role: 'system', content: [{ type: 'text', text: 'Be brief.' }] },
      {
        role: 'user',
        content: [
          { type: 'text', text: 'What is this?' },
          { type: 'image_url', image_url: { url: 'https://example.test/a.png' } },
          { type: 'image_url', image_url: { url: 'data:image/png;base64,AA==' } },
        ],
      },
      {
        role: 'assistant',
        content: null,
        tool_calls: [{ id: short, type: 'function', function: { name: 'find', arguments: '{"city":"Bern"}' } }],
      },
      { role: 'tool', content: 'sunny', tool_call_id: short },
      { role: 'assistant', content: 'Sunny.' },
    ]);
  });

  it('refuses images in system messages', () => {
    const image = { type: 'image', url: 'https://example.test' } as const;
    expect(() => build({ messages: [{ role: 'system', content: [image] }] })).toThrow(
      expect.objectContaining({ code: 'unsupported_parameter' }),
    );
  });

  it.each([
    [undefined, undefined],
    ['auto', 'auto'],
    ['required', 'required'],
    [{ name: 'find' }, { type: 'function', function: { name: 'find' } }],
  ] as const)('offers tools with the choice %j', (toolChoice, choice) => {
    const { body, warnings } = build({ tools: [tool], ...(toolChoice ? { toolChoice } : {}) });
    expect(body.tools).toEqual([{ type: 'function', function: { name: 'find', description: 'Finds.', parameters } }]);
    expect(body.tool_choice).toEqual(choice);
    expect(warnings).toEqual([]);
  });

  it('switches reasoning off where tools are not taken otherwise, and says so', () => {
    expect(build({ tools: [] }, 'gpt-6-luna').body).toEqual({ model: 'gpt-6-luna', messages: [question] });
    const { body, warnings } = build({ tools: [tool] }, 'gpt-6-luna');
    expect(body.reasoning_effort).toBe('none');
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
});
