import type { Schema } from '@patchbay/core/plugin';
import type { ChatRequest, Tool } from '@patchbay/core/provider';
import { describe, expect, it } from 'vitest';
import { catalogue } from './catalogue.ts';
import { chatRequest } from './chat-request.ts';
import { packToolCallId, unpackToolCallId } from './tool-call-id.ts';

const question = { role: 'user', content: 'Hi' } as const;
const contents = [{ role: 'user', parts: [{ text: 'Hi' }] }];
const parameters: Schema = { type: 'object', properties: { city: { type: 'string', minLength: 1 } } };
const find: Tool = { name: 'find', description: 'Finds.', parameters };

function build(request: Partial<ChatRequest>, model = 'gemini-3.1-flash-lite') {
  const known = catalogue.find(({ name }) => name === model) ?? { name: model, capabilities: ['chat'] as const };
  return chatRequest('google', known, { model, messages: [question], ...request });
}

describe('chatRequest', () => {
  it('sends what was asked for and nothing else', () => {
    expect(build({})).toEqual({ body: { contents }, warnings: [] });
    const sampling = { maxTokens: 5, temperature: 0, topP: 1, frequencyPenalty: 0.5, presencePenalty: -0.5 };
    const { maxTokens: maxOutputTokens, ...same } = sampling;
    expect(build(sampling).body).toEqual({ contents, generationConfig: { maxOutputTokens, ...same } });
  });

  it('writes messages of every kind, results of one turn together and by name', () => {
    const calls = [
      { id: packToolCallId('fc_1', 'c2lnbmF0dXJl/+=='), name: 'find', arguments: { city: 'Bern' } },
      { id: packToolCallId('fc_2', undefined), name: 'now', arguments: {} },
    ] as const;
    const { body, warnings } = build({
      messages: [
        { role: 'system', content: 'Be brief.' },
        {
          role: 'user',
          content: [
            { type: 'text', text: 'What is this?' },
            { type: 'image', url: 'data:image/gif;base64,AA==' },
            { type: 'image', data: 'AQ==', mediaType: 'image/png' },
          ],
        },
        { role: 'assistant', content: calls.map((call) => ({ type: 'tool-call', ...call })) },
        { role: 'tool', content: '{"sky":"clear"}', toolCallId: calls[0].id },
        { role: 'tool', content: 'noon', toolCallId: calls[1].id },
        { role: 'assistant', content: 'Clear, at noon.' },
        { role: 'user', content: 'Thanks.' },
      ],
    });
    expect(body).toEqual({
      systemInstruction: { parts: [{ text: 'Be brief.' }] },
      contents: [
        {
          role: 'user',
          parts: [
            { text: 'What is this?' },
            { inlineData: { mimeType: 'image/gif', data: 'AA==' } },
            { inlineData: { mimeType: 'image/png', data: 'AQ==' } },
          ],
        },
        {
          role: 'model',
          parts: [
            {
              functionCall: { id: 'fc_1', name: 'find', args: { city: 'Bern' } },
              thoughtSignature: 'c2lnbmF0dXJl/+==',
            },
            { functionCall: { id: 'fc_2', name: 'now', args: {} } },
          ],
        },
        {
          role: 'user',
          parts: [
            { functionResponse: { id: 'fc_1', name: 'find', response: { sky: 'clear' } } },
            { functionResponse: { id: 'fc_2', name: 'now', response: { result: 'noon' } } },
          ],
        },
        { role: 'model', parts: [{ text: 'Clear, at noon.' }] },
        { role: 'user', parts: [{ text: 'Thanks.' }] },
      ],
    });
    expect(warnings).toEqual([]);
  });

  it.each([
    ['gemini-3.1-flash-lite', 'skip_thought_signature_validator'],
    ['gemini-2.5-flash', undefined],
  ])('sends %s the signature of a tool call of another vendor: %s', (model, thoughtSignature) => {
    const content = [{ type: 'tool-call', id: 'toolu_1', name: 'find', arguments: {} }] as const;
    const { body } = build({ messages: [question, { role: 'assistant', content }] }, model);
    expect(body.contents[1]?.parts).toEqual([
      { functionCall: { id: 'toolu_1', name: 'find', args: {} }, ...(thoughtSignature ? { thoughtSignature } : {}) },
    ]);
  });

  it('rejects files that are stored at Google, and results of calls that are not in the history', () => {
    const refused = expect.objectContaining({ code: 'unsupported_parameter' });
    const image = { type: 'image', url: 'https://generativelanguage.googleapis.com/v1beta/files/a' } as const;
    expect(() => build({ messages: [{ role: 'user', content: [image] }] })).toThrow(refused);
    expect(() => build({ messages: [{ role: 'tool', content: 'x', toolCallId: 'gone' }] })).toThrow(refused);
  });

  it.each([
    [undefined, undefined],
    ['auto', { mode: 'AUTO' }],
    ['none', { mode: 'NONE' }],
    ['required', { mode: 'ANY' }],
    [{ name: 'find' }, { mode: 'ANY', allowedFunctionNames: ['find'] }],
  ] as const)('offers tools with the choice %j', (toolChoice, functionCallingConfig) => {
    const { body, warnings } = build({ tools: [find], ...(toolChoice ? { toolChoice } : {}) });
    const parametersJsonSchema = {
      type: 'object',
      properties: { city: { type: 'string', minLength: 1 } },
    };
    expect(body.tools).toEqual([
      { functionDeclarations: [{ name: 'find', description: 'Finds.', parametersJsonSchema }] },
    ]);
    expect(body.toolConfig).toEqual(functionCallingConfig && { functionCallingConfig });
    expect(warnings).toEqual([]);
  });

  it('asks for JSON that fits a schema, as far as Gemini can', () => {
    const { body, warnings } = build({
      responseSchema: {
        type: 'array',
        items: {
          type: 'object',
          properties: { n: { const: 7 } },
          additionalProperties: { type: 'string', pattern: 'a' },
        },
        maxItems: 3,
      },
    });
    expect(body.generationConfig).toEqual({
      responseMimeType: 'application/json',
      responseJsonSchema: {
        type: 'array',
        items: {
          type: 'object',
          properties: { n: { enum: [7] } },
          additionalProperties: { type: 'string', description: 'pattern: "a"' },
        },
        maxItems: 3,
      },
    });
    expect(warnings).toEqual(['pattern in the response schema is only described to the model, not enforced']);
  });
});

describe('tool call ids', () => {
  it.each([
    ['fc_1', 'c2lnbmF0dXJl/+=='],
    ['fc_1', 'a.b+/='],
    ['functions.find:0', 'c2ln'],
    ['functions.find:0', undefined],
    ['chatcmpl-tool.9f.c2lnbmF0dXJl', undefined],
    ['gemini_4_fc_1', undefined],
    ['gemini_1_x', 'c2ln'],
    ['gemini_4_fc_1.c2ln', 'c2ln'],
  ])('the id %s with the signature %s is the same after a round trip', (id, signature) => {
    expect(unpackToolCallId(packToolCallId(id, signature))).toEqual(
      signature === undefined ? { id } : { id, signature },
    );
  });

  it('an id that the API left out is made up, and unique', () => {
    expect(packToolCallId(undefined, undefined)).toMatch(/^call_[0-9a-f]{32}$/);
    expect(packToolCallId('', undefined)).not.toBe(packToolCallId('', undefined));
  });

  it('an id of another vendor with a dot reaches Gemini whole, in the call and in its result', () => {
    const id = 'functions.find:0';
    const { body } = build({
      messages: [
        question,
        { role: 'assistant', content: [{ type: 'tool-call', id, name: 'find', arguments: {} }] },
        { role: 'tool', content: 'clear', toolCallId: id },
      ],
    });
    expect(body.contents.slice(1).map(({ parts }) => parts[0])).toMatchObject([
      { functionCall: { id }, thoughtSignature: 'skip_thought_signature_validator' },
      { functionResponse: { id } },
    ]);
  });
});
