import { PatchbayError } from '@patchbay/core/plugin';
import { describe, expect, it } from 'vitest';
import { writeProof } from '../anthropic-messages/reasoning-proof.ts';
import { referencedIds } from './named-items.ts';
import { parseResponsesRequest } from './parse-request.ts';

const parse = (body: object, known?: Parameters<typeof parseResponsesRequest>[1]) =>
  parseResponsesRequest({ model: 'acme/model', input: 'Hi', ...body }, known);
const messagesOf = (input: unknown, known?: Parameters<typeof parseResponsesRequest>[1]) =>
  parse({ input }, known).input.messages;

function faultOf(body: object): unknown {
  try {
    parse(body);
  } catch (error) {
    if (PatchbayError.is(error)) return [error.errors[0]?.pointer, error.errors[0]?.code];
    throw error;
  }
  return undefined;
}

const call = {
  type: 'function_call',
  id: 'fc_1',
  call_id: 'a',
  name: 'find',
  arguments: '{"id":1}',
  status: 'completed',
};
const output = { type: 'function_call_output', call_id: 'a', output: 'found' };

describe('parseResponsesRequest', () => {
  it('reads a text as a message of the user, behind the instructions', () => {
    expect(parse({ instructions: 'Be brief' }).input.messages).toEqual([
      { role: 'system', content: 'Be brief' },
      { role: 'user', content: 'Hi' },
    ]);
  });

  it('joins reasoning, texts and calls of one turn, and puts each output behind its call', () => {
    const proof = writeProof({ by: 'acme/model', signature: 'sig' });
    const messages = messagesOf([
      { role: 'user', content: [{ type: 'input_text', text: 'Find it' }] },
      {
        type: 'reasoning',
        id: 'rs_1',
        summary: [{ type: 'summary_text', text: 'Let me see' }],
        encrypted_content: proof,
      },
      { type: 'message', role: 'assistant', content: [{ type: 'output_text', text: 'Looking', annotations: [] }] },
      call,
      output,
      { role: 'user', content: 'Thanks' },
    ]);
    expect(messages).toEqual([
      { role: 'user', content: [{ type: 'text', text: 'Find it' }] },
      {
        role: 'assistant',
        content: [
          { type: 'reasoning', text: 'Let me see', by: 'acme/model', signature: 'sig' },
          { type: 'text', text: 'Looking' },
          { type: 'tool-call', id: 'a', name: 'find', arguments: { id: 1 } },
        ],
      },
      { role: 'tool', toolCallId: 'a', content: 'found' },
      { role: 'user', content: 'Thanks' },
    ]);
  });

  it('reads named items as the items that were returned under these names', () => {
    const known = new Map([['fc_1', call]]);
    const input = [{ role: 'user', content: 'Find it' }, { type: 'item_reference', id: 'fc_1' }, output];
    expect(referencedIds({ input })).toEqual(['fc_1']);
    expect(messagesOf(input, known)[1]).toEqual({
      role: 'assistant',
      content: [{ type: 'tool-call', id: 'a', name: 'find', arguments: { id: 1 } }],
    });
    expect(faultOf({ input })).toEqual(['/input/1/id', 'invalid_value']);
  });

  it('rejects an item that is named twice: a small request could become any size', () => {
    const message = { id: 'msg_1', type: 'message', role: 'assistant', content: 'x' };
    const reference = { type: 'item_reference', id: 'msg_1' };
    const known = new Map([['msg_1', message]]);
    expect(messagesOf([reference], known)).toHaveLength(1);
    expect(() => messagesOf([reference, reference], known)).toThrow(/named before/);
    expect(referencedIds({ input: Array(10_001).fill(reference) })).toEqual([]);
  });

  it('reads reasoning without a proof as the reasoning that was returned under its id', () => {
    const proof = writeProof({ by: 'acme/model', signature: 'sig' });
    const summary = [{ type: 'summary_text', text: 'Let me see' }];
    const known = new Map([['rs_1', { id: 'rs_1', type: 'reasoning', summary, encrypted_content: proof }]]);
    for (const encrypted_content of [null, undefined]) {
      const input = [
        { role: 'user', content: 'Hi' },
        { type: 'reasoning', id: 'rs_1', summary: [], encrypted_content },
      ];
      expect(referencedIds({ input })).toEqual(['rs_1']);
      const content = [{ type: 'reasoning', text: 'Let me see', by: 'acme/model', signature: 'sig' }];
      expect(messagesOf(input, known)[1]).toEqual({ role: 'assistant', content });
    }
  });

  it('reads images and files', () => {
    const data = 'data:image/png;base64,aGk=';
    const content = [
      { type: 'input_image', image_url: data, detail: 'auto' },
      { type: 'input_file', filename: 'a.pdf', file_data: 'data:application/pdf;base64,aGk=' },
    ];
    expect(messagesOf([{ role: 'user', content }])).toMatchObject([
      {
        content: [
          { type: 'image', mediaType: 'image/png' },
          { type: 'file', name: 'a.pdf', data: 'aGk=' },
        ],
      },
    ]);
  });

  it('keeps the detail of an image for models of OpenAI, and says so', () => {
    const image = { type: 'input_image', image_url: 'https://example.com/a.png', detail: 'low' };
    const { input, announced } = parse({ input: [{ role: 'user', content: [image] }] });
    expect(input.messages[0]?.content).toEqual([
      { type: 'image', url: 'https://example.com/a.png', extra: { 'openai-responses': { detail: 'low' } } },
    ]);
    expect(announced).toEqual(['content[].detail is sent to models with the API of OpenAI only']);
  });

  it('gives each function of a namespace one name for the model, also in the calls of before', () => {
    const parameters = { type: 'object', properties: {} };
    const within = { type: 'function', name: 'find', description: 'By id.', parameters };
    const tools = [{ type: 'namespace', name: 'crm', description: 'Customers.', tools: [within] }];
    const { input, names } = parse({ tools, input: [{ ...call, namespace: 'crm' }, output] });
    expect(input.tools).toEqual([{ name: 'crm__find', description: 'Customers.\n\nBy id.', parameters }]);
    expect(names).toEqual(new Map([['crm__find', { name: 'find', namespace: 'crm' }]]));
    expect(input.messages[0]).toMatchObject({ content: [{ type: 'tool-call', name: 'crm__find' }] });
  });

  it('reads tools, the choice among them, and the format', () => {
    const parameters = { type: 'object', properties: { id: { type: 'number' } } };
    const tool = (name: string) => ({ type: 'function', name, parameters, strict: null });
    const { input } = parse({
      tools: [tool('find'), tool('drop')],
      tool_choice: { type: 'allowed_tools', mode: 'required', tools: [{ type: 'function', name: 'find' }] },
      text: { format: { type: 'json_schema', name: 'answer', schema: parameters } },
      reasoning: { effort: 'low' },
      max_output_tokens: 100,
    });
    expect(input).toMatchObject({
      tools: [{ name: 'find', parameters }],
      toolChoice: 'required',
      responseSchema: parameters,
      reasoningEffort: 'low',
      maxTokens: 100,
    });
    expect(input.tools).toHaveLength(1);
  });

  it('keeps members of OpenAI for its models, and says so', () => {
    const { input, announced } = parse({ metadata: { a: 'b' }, reasoning: { summary: 'auto' } });
    expect(input.extra).toEqual({ 'openai-responses': { metadata: { a: 'b' }, reasoning: { summary: 'auto' } } });
    expect(announced).toContain('metadata is sent to models with the API of OpenAI only');
  });

  it('drops reasoning that no proof of this server names a model for', () => {
    const item = { type: 'reasoning', id: 'rs_1', summary: [], encrypted_content: 'gAAAA' };
    const { input, warnings } = parse({ input: [{ role: 'user', content: 'Hi' }, item] });
    expect(input.messages[1]).toEqual({ role: 'assistant', content: [{ type: 'reasoning', text: '' }] });
    expect(warnings).toContain('reasoning that does not say which model it is from is sent to no model');
  });

  it.each([
    ['an empty input', { input: [] }, ['/input', 'invalid_value']],
    [
      'more items than are translated in time',
      { input: Array(10_001).fill({ role: 'user', content: 'Hi' }) },
      ['/input', 'invalid_value'],
    ],
    ['a stored response', { previous_response_id: 'resp_1' }, ['/previous_response_id', 'unsupported_parameter']],
    ['work in the background', { background: true }, ['/background', 'unsupported_value']],
    [
      'a namespace with a custom tool',
      { tools: [{ type: 'namespace', name: 'a', tools: [{ type: 'custom', name: 'b' }] }] },
      ['/tools/0/tools/0/type', 'unsupported_value'],
    ],
    [
      'a function whose name is too long with its namespace',
      { tools: [{ type: 'namespace', name: 'a'.repeat(40), tools: [{ type: 'function', name: 'b'.repeat(40) }] }] },
      ['/tools/0/tools/0/name', 'invalid_value'],
    ],
    ['a tool of the vendor', { tools: [{ type: 'web_search' }] }, ['/tools/0/type', 'unsupported_value']],
    [
      'an item of a tool of the vendor',
      { input: [{ type: 'web_search_call' }] },
      ['/input/0/type', 'unsupported_value'],
    ],
    ['an output without its call', { input: [output] }, ['/input/0/call_id', 'invalid_value']],
    ['a call without its output', { input: [call] }, ['/input/0', 'invalid_value']],
    [
      'a file at the vendor',
      { input: [{ role: 'user', content: [{ type: 'input_file', file_id: 'file-1' }] }] },
      ['/input/0/content/0/file_id', 'unsupported_parameter'],
    ],
    ['too few tokens', { max_output_tokens: 1 }, ['/max_output_tokens', 'invalid_value']],
    [
      'a private address',
      { input: [{ role: 'user', content: [{ type: 'input_image', image_url: 'http://10.0.0.1/a.png' }] }] },
      ['/input/0/content/0/image_url', 'invalid_value'],
    ],
  ])('rejects %s with its place', (_, body, fault) => {
    expect(faultOf(body)).toEqual(fault);
  });

  it('repeats the request in the echo, with the defaults of the API', () => {
    const { echo } = parse({ temperature: 0.5, tools: [{ type: 'function', name: 'find' }] });
    expect(echo).toMatchObject({
      temperature: 0.5,
      top_p: 1,
      text: { format: { type: 'text' }, verbosity: 'medium' },
      tools: [{ type: 'function', name: 'find', description: null, parameters: null, strict: null }],
      tool_choice: 'auto',
      metadata: {},
      previous_response_id: null,
    });
  });
});
