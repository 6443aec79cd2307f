import type { Schema } from '@patchbay/core/plugin';
import type { ChatRequest, Extra, Tool } from '@patchbay/core/provider';
import { describe, expect, it } from 'vitest';
import { catalogue } from './catalogue.ts';
import { chatRequest } from './chat-request.ts';

const question = { role: 'user', content: 'Hi' } as const;
const asked = [{ role: 'user', content: [{ type: 'text', text: 'Hi' }] }];
const parameters: Schema = { type: 'object', properties: { city: { type: 'string', minLength: 1 } } };
const find: Tool = { name: 'find', description: 'Finds.', parameters };
const now: Tool = { name: 'now', parameters: { type: 'object' } };

function build(request: Partial<ChatRequest>, model = 'claude-haiku-4-5') {
  const known = catalogue.find(({ name }) => name === model) ?? { name: model, capabilities: ['chat'] as const };
  return chatRequest('anthropic', known, { model, messages: [question], maxTokens: 9, ...request });
}

describe('chatRequest', () => {
  it('sends what was asked for and nothing else', () => {
    expect(build({})).toEqual({
      body: { model: 'claude-haiku-4-5', max_tokens: 9, messages: asked },
      warnings: [],
    });
    expect(build({ temperature: 0 }).body).toMatchObject({ temperature: 0 });
    expect(build({ topP: 0.5 }).body).toMatchObject({ top_p: 0.5 });
  });

  it('leaves a last message of the assistant open', () => {
    const begun = { role: 'assistant', content: 'Hello' } as const;
    const { messages } = build({ messages: [question, begun] }).body;
    expect(messages).toEqual([...asked, { role: 'assistant', content: [{ type: 'text', text: 'Hello' }] }]);
  });

  it('refuses temperature and topP together', () => {
    expect(() => build({ temperature: 1, topP: 1 })).toThrow(
      expect.objectContaining({ code: 'unsupported_parameter' }),
    );
  });

  it.each([
    ['claude-haiku-4-5', 4_096],
    ['claude-opus-5-5', 16_384],
    ['own', 4_096],
  ])('sets a token limit for %s when the caller set none, with a warning', (model, limit) => {
    const request: ChatRequest = { model, messages: [question] };
    const known = catalogue.find(({ name }) => name === model) ?? { name: model, capabilities: ['chat'] as const };
    const { body, warnings } = chatRequest('anthropic', known, request);
    expect(body.max_tokens).toBe(limit);
    expect(warnings).toEqual([`anthropic/${model} needs maxTokens: it was set to ${limit}`]);
    expect(chatRequest('anthropic', { ...known, maxTokens: 100 }, request).body.max_tokens).toBe(100);
  });

  it('writes messages of every kind, results of one turn together', () => {
    const calls = [
      { id: 'toolu_1', name: 'find', arguments: { city: 'Bern' } },
      { id: `call.${'x'.repeat(80)}`, name: 'now', arguments: {} },
    ] as const;
    const { body, warnings } = build({
      messages: [
        { role: 'system', content: 'Be brief.' },
        {
          role: 'user',
          content: [
            { type: 'text', text: 'What is this?' },
            { type: 'image', url: 'https://example.test/a.png' },
            { type: 'image', url: 'data:image/gif;base64,AA==' },
            { type: 'image', data: 'AQ==', mediaType: 'image/png' },
          ],
        },
        { role: 'assistant', content: calls.map((call) => ({ type: 'tool-call', ...call })) },
        { role: 'tool', content: 'sunny', toolCallId: calls[0].id },
        { role: 'tool', content: 'noon', toolCallId: calls[1].id },
        { role: 'user', content: 'Well?' },
        { role: 'system', content: 'Be kind.' },
        { role: 'assistant', content: '' },
      ],
    });
    const short = expect.stringMatching(/^call_[0-9a-f]{32}$/);
    expect(body.system).toEqual([
      { type: 'text', text: 'Be brief.' },
      { type: 'text', text: 'Be kind.' },
    ]);
    expect(body.messages).toEqual([
      {
        role: 'user',
        content: [
          { type: 'text', text: 'What is this?' },
          { type: 'image', source: { type: 'url', url: 'https://example.test/a.png' } },
          { type: 'image', source: { type: 'base64', media_type: 'image/gif', data: 'AA==' } },
          { type: 'image', source: { type: 'base64', media_type: 'image/png', data: 'AQ==' } },
        ],
      },
      {
        role: 'assistant',
        content: [
          { type: 'tool_use', id: 'toolu_1', name: 'find', input: { city: 'Bern' } },
          { type: 'tool_use', id: short, name: 'now', input: {} },
        ],
      },
      {
        role: 'user',
        content: [
          { type: 'tool_result', tool_use_id: 'toolu_1', content: 'sunny' },
          { type: 'tool_result', tool_use_id: short, content: 'noon' },
          { type: 'text', text: 'Well?' },
        ],
      },
    ]);
    expect(warnings).toEqual([
      'anthropic takes no empty messages: they were left out',
      'anthropic has system messages at the front only: later ones were moved there',
    ]);
  });

  it('sends stop sequences, and says that it has no seed', () => {
    expect(build({ stop: ['END', '\n\nUser:'] }).body.stop_sequences).toEqual(['END', '\n\nUser:']);
    expect(() => build({ stop: ['\n'] })).toThrow(expect.objectContaining({ code: 'unsupported_parameter' }));
    const { body, warnings } = build({ seed: 7 });
    expect(body).not.toHaveProperty('seed');
    expect(warnings).toEqual(['anthropic has no seed: it was left out']);
  });

  it('asks for JSON in words where there is no schema', () => {
    const { body, warnings } = build({ responseJson: true });
    expect(body.system).toEqual([{ type: 'text', text: 'Answer with one JSON object, and with nothing else.' }]);
    expect(warnings).toEqual(['anthropic cannot be held to JSON without a schema: it was instructed to']);
  });

  it('sends the members that only Anthropic has, and none that the gateway decides', () => {
    const members = {
      top_k: 5,
      metadata: { user_id: 'u' },
      thinking: { type: 'adaptive', display: 'summarized' },
      output_config: { task_budget: { type: 'tokens', total: 9 } },
      model: 'other',
      max_tokens: 1_000_000,
      stream: true,
    };
    const extra = { 'anthropic-messages': members, google: { safetySettings: [] } };
    expect(build({ extra, reasoningEffort: 'high' }, 'claude-opus-5-5').body).toEqual({
      model: 'claude-opus-5-5',
      max_tokens: 9,
      messages: asked,
      top_k: 5,
      metadata: { user_id: 'u' },
      thinking: { type: 'adaptive', display: 'summarized' },
      output_config: { effort: 'high', task_budget: { type: 'tokens', total: 9 } },
    });
  });

  it.each([
    { container: 'container_1' },
    { mcp_servers: [{ type: 'url', url: 'https://example.test/mcp', name: 'a' }] },
    { fallbacks: [{ model: 'claude-fable-5-2' }] },
    { speed: 'fast' },
  ])('refuses what lies or runs under our key, and what the caller may not decide on: %j', (members) => {
    const refused = expect.objectContaining({ code: 'unsupported_parameter' });
    expect(() => build({ extra: { 'anthropic-messages': members } as Extra })).toThrow(refused);
  });

  it('names the members of other formats, which it does not send', () => {
    const extra = { google: { safetySettings: [] }, 'anthropic-messages': { top_k: 5 } };
    const tools = [{ ...find, extra: { 'openai-chat': { strict: true } } }];
    expect(build({ extra, tools }).warnings).toEqual([
      'members that only google has were not sent: safetySettings',
      'members that only openai-chat has were not sent: strict',
    ]);
  });

  it('refuses images of other kinds', () => {
    const image = { type: 'image', data: 'AA==', mediaType: 'image/tiff' } as const;
    expect(() => build({ messages: [{ role: 'user', content: [image] }] })).toThrow('image/jpeg');
  });
});

describe('tools', () => {
  it.each([
    [undefined, undefined],
    ['auto', { type: 'auto' }],
    ['required', { type: 'any' }],
    ['none', { type: 'none' }],
    [{ name: 'find' }, { type: 'tool', name: 'find' }],
  ] as const)('carry the tool choice %j', (toolChoice, choice) => {
    const { body, warnings } = build({ tools: [find, now], ...(toolChoice ? { toolChoice } : {}) });
    expect(body.tools).toEqual([
      { name: 'find', description: 'Finds.', input_schema: parameters },
      { name: 'now', input_schema: { type: 'object' } },
    ]);
    expect(body.tool_choice).toEqual(choice);
    expect(warnings).toEqual([]);
  });

  it('tools are asked for in words where a model cannot be forced', () => {
    const warnings = ['anthropic/claude-opus-5-5 cannot be forced to call a tool: it was instructed to'];
    const one = build({ tools: [find, now], toolChoice: { name: 'find' } }, 'claude-opus-5-5');
    expect(one.body).toMatchObject({
      tools: [{ name: 'find' }],
      tool_choice: { type: 'auto' },
      system: [{ text: 'Answer by calling the tool find, and with nothing else.' }],
    });
    expect(one.warnings).toEqual(warnings);
    const any = build({ tools: [find, now], toolChoice: 'required' }, 'claude-opus-5-5');
    expect(any.body.tools).toHaveLength(2);
    expect(any.body.system).toEqual([
      { type: 'text', text: 'Answer by calling one of the tools, and with nothing else.' },
    ]);
    expect(build({ tools: [find], toolChoice: 'auto' }, 'claude-opus-5-5').warnings).toEqual([]);
  });

  it.each([
    [undefined, { type: 'auto', disable_parallel_tool_use: true }],
    ['required', { type: 'any', disable_parallel_tool_use: true }],
    [{ name: 'find' }, { type: 'tool', name: 'find', disable_parallel_tool_use: true }],
    ['none', { type: 'none' }],
  ] as const)('one call at most is a part of the tool choice %j', (toolChoice, choice) => {
    const request = { tools: [find], parallelToolCalls: false, ...(toolChoice ? { toolChoice } : {}) };
    expect(build(request).body.tool_choice).toEqual(choice);
    expect(build({ tools: [find], parallelToolCalls: true }).body.tool_choice).toBe(undefined);
  });

  it('tools keep their parameters as they were sent, their cache mark and what only Anthropic knows', () => {
    const schema = { $schema: 'x', type: 'object', properties: { at: { $ref: '#/$defs/at' } }, $defs: { at: {} } };
    const extra = {
      'anthropic-messages': { strict: true, defer_loading: true, name: 'other' },
      google: { behavior: 'x' },
    };
    const { body } = build({ tools: [{ name: 'find', parameters: schema as Schema, cache: { ttl: '1h' }, extra }] });
    expect(body.tools).toEqual([
      {
        name: 'find',
        input_schema: schema,
        strict: true,
        defer_loading: true,
        cache_control: { type: 'ephemeral', ttl: '1h' },
      },
    ]);
  });

  it("a tool is never one of Anthropic's own", () => {
    const extra = { 'anthropic-messages': { type: 'web_search_20250305' } };
    expect(() => build({ tools: [{ ...now, extra }] })).toThrow(
      expect.objectContaining({ code: 'unsupported_parameter' }),
    );
  });

  it("tools of Anthropic's own stand behind the others", () => {
    const search = { type: 'web_search_20250305', name: 'web_search' };
    const extra = { 'anthropic-messages': { tools: [search] } };
    expect(build({ tools: [now], extra }).body.tools).toEqual([
      { name: 'now', input_schema: { type: 'object' } },
      search,
    ]);
  });

  it('tools are left out where there are none', () => {
    expect(build({ tools: [], toolChoice: 'auto' }).body).toEqual(build({}).body);
  });
});

describe('responseSchema', () => {
  it('responseSchema is sent as far as Anthropic enforces it', () => {
    const { body, warnings } = build({
      responseSchema: {
        type: 'object',
        properties: { age: { type: 'integer', minimum: 0 }, born: { type: 'string', format: 'date' } },
      },
    });
    expect(body.output_config).toEqual({
      format: {
        type: 'json_schema',
        schema: {
          type: 'object',
          properties: { age: { type: 'integer', description: 'minimum: 0' }, born: { type: 'string', format: 'date' } },
          additionalProperties: false,
        },
      },
    });
    expect(warnings).toEqual(['minimum in the response schema is only described to the model, not enforced']);
  });

  it.each<Schema>([
    { type: 'object' },
    { type: 'object', properties: { a: { type: 'array', items: { type: 'object', additionalProperties: {} } } } },
    { anyOf: [{ type: ['object', 'null'] }] },
  ])('responseSchema is refused where an object has free members: %j', (responseSchema) => {
    expect(() => build({ responseSchema })).toThrow(expect.objectContaining({ code: 'unsupported_parameter' }));
  });
});
