import type { Schema } from '@patchbay/core/plugin';
import type { ChatRequest, Tool } from '@patchbay/core/provider';
import { describe, expect, it } from 'vitest';
import { catalogue } from './catalogue.ts';
import { chatRequest } from './chat-request.ts';
import { packToolCallId, unpackToolCallId } from './tool-call-id.ts';

const question = { role: 'user', content: 'Hi' } as const;
const contents = [{ role: 'user', parts: [{ text: 'Hi' }] }];
const refused = expect.objectContaining({ code: 'unsupported_parameter' });
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

  it('rejects results of calls that are not in the history', () => {
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

  it('asks for JSON of any form', () => {
    expect(build({ responseJson: true })).toEqual({
      body: { contents, generationConfig: { responseMimeType: 'application/json' } },
      warnings: [],
    });
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

describe('limits', () => {
  it('at most five stop sequences are sent, and no more', () => {
    const stop = ['a', 'b', 'c', 'd', 'e'];
    expect(build({ stop }).body.generationConfig).toEqual({ stopSequences: stop });
    expect(() => build({ stop: [...stop, 'f'] })).toThrow(refused);
  });

  it.each([0, 7, -7, 2 ** 31 - 1])('the seed %d is sent', (seed) => {
    expect(build({ seed }).body.generationConfig).toEqual({ seed });
  });

  it.each([2 ** 31, -(2 ** 31), 2 ** 53])('the seed %d is refused', (seed) => {
    expect(() => build({ seed })).toThrow(refused);
  });

  it('one call at a time is a wish that Gemini does not know', () => {
    const warnings = ['google cannot be held to one call at a time'];
    expect(build({ tools: [find], parallelToolCalls: false }).warnings).toEqual(warnings);
    expect(build({ tools: [find], parallelToolCalls: true }).warnings).toEqual([]);
    expect(build({ parallelToolCalls: false }).warnings).toEqual([]);
  });
});

describe('members that only Gemini has', () => {
  const own = (members: object) => ({ extra: { google: { ...members } } });

  it('they are sent, but for what the gateway decides', () => {
    const safetySettings = [{ category: 'HARM_CATEGORY_HARASSMENT', threshold: 'BLOCK_NONE' }];
    const generationConfig = { topK: 5, maxOutputTokens: 9, thinkingConfig: { includeThoughts: true } };
    const members = { safetySettings, generationConfig, model: 'models/other', contents: [] };
    const { body, warnings } = build({ ...own(members), maxTokens: 7, reasoningEffort: 'low' });
    expect(body).toEqual({
      contents,
      safetySettings,
      generationConfig: {
        topK: 5,
        maxOutputTokens: 7,
        thinkingConfig: { includeThoughts: true, thinkingLevel: 'low' },
      },
    });
    expect(warnings).toEqual([]);
  });

  it('those of tools stand in the declaration, and those of the choice beside it', () => {
    const toolConfig = { retrievalConfig: { languageCode: 'de' } };
    const tools = [{ ...find, ...own({ behavior: 'NON_BLOCKING', name: 'other' }) }];
    const { body } = build({ tools, toolChoice: 'auto', ...own({ toolConfig, tools: [{ googleSearch: {} }] }) });
    expect(body.tools).toMatchObject([
      { functionDeclarations: [{ name: 'find', behavior: 'NON_BLOCKING' }] },
      { googleSearch: {} },
    ]);
    expect(body.toolConfig).toEqual({ ...toolConfig, functionCallingConfig: { mode: 'AUTO' } });
  });

  it.each([
    { cachedContent: 'cachedContents/a' },
    { serviceTier: 'priority' },
    { store: true },
    { generationConfig: { candidateCount: 2 } },
    { generationConfig: { responseModalities: ['AUDIO'] } },
    { generationConfig: { modelSelectionConfig: {} } },
  ])('what lies at Google or costs more is refused: %j', (members) => {
    expect(() => build(own(members))).toThrow(refused);
  });

  it('those of other formats are named in a warning', () => {
    expect(build({ extra: { 'openai-chat': { logit_bias: {} } } })).toEqual({
      body: { contents },
      warnings: ['members that only openai-chat has were not sent: logit_bias'],
    });
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
