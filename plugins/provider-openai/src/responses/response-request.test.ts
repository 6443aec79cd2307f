import type { ChatRequest, Extra, ModelInfo } from '@patchbay/core/provider';
import { describe, expect, it } from 'vitest';
import { responseRequest } from './response-request.ts';

const model: ModelInfo = { name: 'gpt-6-astra', capabilities: ['chat', 'tools', 'reasoning'], vendor: 'openai' };
const question: ChatRequest = { model: 'gpt-6-astra', messages: [{ role: 'user', content: 'Hi' }] };
const write = (request: Partial<ChatRequest>, known = model) =>
  responseRequest('openai', known, { ...question, ...request });
const body = (request: Partial<ChatRequest>) => write(request).body;
const include = ['reasoning.encrypted_content'];

describe('responseRequest', () => {
  it('contains only required members by default', () => {
    const least = { model: 'gpt-6-astra', input: [{ role: 'user', content: 'Hi' }], store: false };
    expect(write({})).toEqual({ body: { ...least, include }, warnings: [] });
    // A model without reasoning refuses to encrypt it.
    expect(write({}, { ...model, capabilities: ['chat'] }).body).toEqual(least);
  });

  it('turns a conversation with tools and images into items', () => {
    const messages: ChatRequest['messages'] = [
      { role: 'system', content: [{ type: 'text', text: 'Be brief.' }] },
      {
        role: 'user',
        content: [
          { type: 'text', text: 'Where?' },
          { type: 'image', url: 'https://a.test/b.png' },
        ],
      },
      { role: 'user', content: [{ type: 'image', data: 'AAAA', mediaType: 'image/png' }] },
      {
        role: 'assistant',
        content: [
          { type: 'text', text: 'One moment.' },
          { type: 'tool-call', id: 'call_1', name: 'find', arguments: { a: 1 } },
        ],
      },
      { role: 'tool', toolCallId: 'call_1', content: 'Bern' },
      { role: 'assistant', content: [{ type: 'tool-call', id: 'x'.repeat(41), name: 'now', arguments: {} }] },
    ];
    expect(body({ messages }).input).toEqual([
      { role: 'system', content: [{ type: 'input_text', text: 'Be brief.' }] },
      {
        role: 'user',
        content: [
          { type: 'input_text', text: 'Where?' },
          { type: 'input_image', image_url: 'https://a.test/b.png', detail: 'auto' },
        ],
      },
      {
        role: 'user',
        content: [{ type: 'input_image', image_url: 'data:image/png;base64,AAAA', detail: 'auto' }],
      },
      { role: 'assistant', content: 'One moment.' },
      { type: 'function_call', call_id: 'call_1', name: 'find', arguments: '{"a":1}' },
      { type: 'function_call_output', call_id: 'call_1', output: 'Bern' },
      { type: 'function_call', call_id: expect.stringMatching(/^call_[0-9a-f]{32}$/), name: 'now', arguments: '{}' },
    ]);
  });

  it('asks for tools and schemas in the words of this API', () => {
    const parameters = { type: 'object', properties: { city: { type: 'string' } } } as const;
    const schema = { type: 'object', properties: { a: { type: 'string' } }, required: ['a'] } as const;
    const tools = [{ name: 'find', description: 'Finds', parameters }];
    expect(body({ maxTokens: 50, tools, toolChoice: { name: 'find' }, responseSchema: schema })).toMatchObject({
      max_output_tokens: 50,
      tools: [{ type: 'function', name: 'find', description: 'Finds', parameters, strict: false }],
      tool_choice: { type: 'function', name: 'find' },
      text: { format: { type: 'json_schema', name: 'answer', strict: true, schema: { required: ['a'] } } },
    });
    expect(body({ tools, toolChoice: 'required' }).tool_choice).toBe('required');
    expect(body({ toolChoice: 'required' })).not.toHaveProperty('tool_choice');
    const hint = responseRequest('openai', model, { ...question, responseSchema: { type: 'string' } });
    expect(hint.body.text?.format).toMatchObject({ strict: false });
    expect(hint.warnings).toHaveLength(1);
  });

  it.each<[Partial<ChatRequest>]>([
    [{ maxTokens: 15 }],
    [{ frequencyPenalty: 0.5 }],
    [{ presencePenalty: 0.5 }],
    [{ stop: ['a'] }],
    [{ extra: { 'openai-responses': { previous_response_id: 'resp_1' } } }],
    [
      {
        messages: [
          {
            role: 'user',
            content: [{ type: 'image', url: 'https://a.test', extra: { 'openai-responses': { file_id: 'file-1' } } }],
          },
        ],
      },
    ],
    [{ messages: [{ role: 'user', content: [{ type: 'audio', data: 'AA==', mediaType: 'audio/wav' }] }] }],
  ])('refuses %j', (request) => {
    expect(() => body(request)).toThrow(expect.objectContaining({ code: 'unsupported_parameter' }));
  });

  it('sends an effort, and names what this API has no word for', () => {
    const { body, warnings } = write({ reasoningEffort: 'low', seed: 7, responseJson: true });
    expect(body).toMatchObject({ reasoning: { effort: 'low' }, text: { format: { type: 'json_object' } } });
    expect(warnings).toEqual(['openai has no seed in the Responses API: it was not sent']);
  });

  it('sends the members of its own format, and those of Chat Completions that are the same', () => {
    const extra = {
      'openai-responses': { reasoning: { summary: 'auto' }, include: ['message.output_text.logprobs'], store: true },
      'openai-chat': { metadata: { a: 'b' }, logit_bias: { 1: 2 } },
    };
    const { body, warnings } = write({ extra, reasoningEffort: 'high' });
    expect(body).toMatchObject({
      reasoning: { summary: 'auto', effort: 'high' },
      include: ['message.output_text.logprobs', ...include],
      metadata: { a: 'b' },
      store: false,
    });
    expect(body).not.toHaveProperty('logit_bias');
    expect(warnings).toEqual(['members that only openai-chat has were not sent: logit_bias']);
  });

  it('sends files, details and results of tools with pictures', () => {
    const image = {
      type: 'image',
      url: 'https://a.test/b.png',
      extra: { 'openai-chat': { image_url: { url: 'a', detail: 'low' } } },
    } as const;
    const { body, warnings } = write({
      messages: [
        { role: 'system', content: 'Be brief.', extra: { 'openai-chat': { role: 'developer' } } },
        {
          role: 'user',
          content: [
            image,
            { type: 'file', url: 'https://a.test/b.pdf' },
            { type: 'file', data: 'AA==', mediaType: 'application/pdf', name: 'b.pdf' },
          ],
        },
        { role: 'tool', toolCallId: 'call_1', content: [{ type: 'text', text: 'Look.' }, image], isError: true },
      ],
    });
    const wireImage = { type: 'input_image', image_url: 'https://a.test/b.png', detail: 'low' };
    expect(body.input).toEqual([
      { role: 'developer', content: 'Be brief.' },
      {
        role: 'user',
        content: [
          wireImage,
          { type: 'input_file', file_url: 'https://a.test/b.pdf' },
          { type: 'input_file', filename: 'b.pdf', file_data: 'data:application/pdf;base64,AA==' },
        ],
      },
      { type: 'function_call_output', call_id: 'call_1', output: [{ type: 'input_text', text: 'Look.' }, wireImage] },
    ]);
    expect(warnings).toEqual(['openai has no mark for tool results that are errors: their content alone says so']);
  });

  it('sends reasoning back as it came, in its place', () => {
    const reasoning = {
      type: 'reasoning',
      text: 'Hm.',
      encrypted: 'gAAAA',
      extra: { 'openai-responses': { id: 'rs_1' } },
    } as const;
    const { body, warnings } = write({
      messages: [
        {
          role: 'assistant',
          content: [
            reasoning,
            { type: 'text', text: 'Well.' },
            { type: 'refusal', text: 'I cannot.' },
            { type: 'reasoning', text: '', encrypted: 'gBBBB' },
            { type: 'tool-call', id: 'call_1', name: 'find', arguments: {} },
            { type: 'reasoning', text: 'Of another API.' },
          ],
        },
      ],
    });
    expect(body.input).toEqual([
      { type: 'reasoning', id: 'rs_1', summary: [{ type: 'summary_text', text: 'Hm.' }], encrypted_content: 'gAAAA' },
      {
        role: 'assistant',
        content: [
          { type: 'output_text', text: 'Well.', annotations: [] },
          { type: 'refusal', refusal: 'I cannot.' },
        ],
      },
      { type: 'reasoning', summary: [], encrypted_content: 'gBBBB' },
      { type: 'function_call', call_id: 'call_1', name: 'find', arguments: '{}' },
    ]);
    expect(warnings).toEqual(['openai takes reasoning back in its encrypted form only: what has none was not sent']);
  });
});

describe('what is stored at the vendor', () => {
  const own = (members: object) => ({ extra: { 'openai-responses': members as Extra[string] } });
  const refused = expect.objectContaining({ code: 'unsupported_parameter' });
  const answered = (members: object) => ({ role: 'assistant', content: 'Hi', ...own(members) }) as const;

  it.each([
    { previous_response_id: 'resp_1' },
    { conversation: 'conv_1' },
    { prompt: { id: 'pmpt_1' } },
    { tools: [{ type: 'file_search', vector_store_ids: ['vs_1'] }] },
  ])('is out of reach of a request: %j', (members) => {
    expect(() => write(own(members))).toThrow(refused);
  });

  it.each([
    { type: 'item_reference', id: 'msg_1' },
    { output: [{ type: 'item_reference', id: 'msg_1' }] },
    { output: [{ role: 'user', content: [{ type: 'input_file', file_id: 'file_1' }] }] },
  ])('is out of reach of a message: %j', (members) => {
    expect(() => write({ messages: [...question.messages, answered(members)] })).toThrow(refused);
  });

  it('comes back whole as a call of one of its tools', () => {
    const call = { type: 'web_search_call', id: 'ws_1', status: 'completed' };
    const { input } = body({ messages: [...question.messages, answered({ output: [call], phase: 'final_answer' })] });
    expect(input).toEqual([
      { role: 'user', content: 'Hi' },
      call,
      { role: 'assistant', content: 'Hi', phase: 'final_answer' },
    ]);
  });
});
