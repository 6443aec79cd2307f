import { describe, expect, it } from 'vitest';
import { mapError } from './map-error.ts';
import { parseCountTokensRequest, parseMessagesRequest } from './parse-request.ts';
import { writeProof } from './reasoning-proof.ts';

const base = { model: 'openai/gpt-5', max_tokens: 100, messages: [{ role: 'user', content: 'Hello' }] };
const call = { type: 'tool_use', id: 'toolu_1', name: 'weather', input: {} };
const result = { type: 'tool_result', tool_use_id: 'toolu_1', content: 'Rain' };

const inputOf = (members: object) => parseMessagesRequest({ ...base, ...members }).input;
const messagesOf = (...messages: object[]) => inputOf({ messages }).messages;
const user = (...content: object[]) => ({ role: 'user', content });
const assistant = (...content: object[]) => ({ role: 'assistant', content });

describe('messages', () => {
  it('has the system prompt first, its blocks in order', () => {
    const system = [
      { type: 'text', text: 'One', cache_control: { type: 'ephemeral', ttl: '1h' } },
      { type: 'text', text: 'Two' },
    ];
    expect(inputOf({ system }).messages[0]).toEqual({
      role: 'system',
      content: [
        { type: 'text', text: 'One', cache: { ttl: '1h' } },
        { type: 'text', text: 'Two' },
      ],
    });
  });

  it('splits the results of tools from what the user says next', () => {
    const failed = {
      type: 'tool_result',
      tool_use_id: 'toolu_2',
      content: [{ type: 'text', text: 'No' }],
      is_error: true,
    };
    const [, , ...after] = messagesOf(
      user({ type: 'text', text: 'Go' }),
      assistant(call, { ...call, id: 'toolu_2' }),
      user({ ...result, cache_control: { type: 'ephemeral' } }, failed, { type: 'text', text: 'And now?' }),
    );
    expect(after).toEqual([
      { role: 'tool', toolCallId: 'toolu_1', content: [{ type: 'text', text: 'Rain', cache: {} }] },
      { role: 'tool', toolCallId: 'toolu_2', content: [{ type: 'text', text: 'No' }], isError: true },
      { role: 'user', content: [{ type: 'text', text: 'And now?' }] },
    ]);
  });

  it('reads documents and search results as texts, and PDFs as files', () => {
    const [message] = messagesOf(
      user(
        { type: 'document', title: 'Notes', source: { type: 'text', media_type: 'text/plain', data: 'Buy milk' } },
        {
          type: 'document',
          title: 'a.pdf',
          context: 'Old',
          source: { type: 'base64', media_type: 'application/pdf', data: 'AA==' },
        },
        { type: 'document', source: { type: 'content', content: [{ type: 'text', text: 'Inner' }] } },
        { type: 'search_result', title: 'T', source: 'https://e.com', content: [{ type: 'text', text: 'Found' }] },
      ),
    );
    expect(message?.content).toEqual([
      { type: 'text', text: 'Notes' },
      { type: 'text', text: 'Buy milk' },
      { type: 'text', text: 'Old' },
      { type: 'file', data: 'AA==', mediaType: 'application/pdf', name: 'a.pdf' },
      { type: 'text', text: 'Inner' },
      { type: 'text', text: 'T\nhttps://e.com\n\nFound' },
    ]);
  });

  it('takes reasoning back from its own signatures, and leaves that of others out', () => {
    const { input, warnings } = parseMessagesRequest({
      ...base,
      messages: [
        ...base.messages,
        assistant(
          { type: 'thinking', thinking: 'Hm', signature: writeProof({ by: 'google/gemini', signature: 's' }) },
          { type: 'redacted_thinking', data: writeProof({ by: 'openai/gpt-5', encrypted: 'e' }) },
          { type: 'thinking', thinking: 'Foreign', signature: 'EqQBCg==' },
          { type: 'server_tool_use', id: 'srvtoolu_1', name: 'web_search', input: {} },
          { type: 'text', text: 'Hello' },
        ),
        ...base.messages,
      ],
    });
    expect(input.messages[1]?.content).toEqual([
      { type: 'reasoning', text: 'Hm', by: 'google/gemini', signature: 's' },
      { type: 'reasoning', text: '', by: 'openai/gpt-5', encrypted: 'e' },
      { type: 'text', text: 'Hello' },
    ]);
    expect(warnings).toEqual([
      'thinking was left out: only the vendor that signed it may see it',
      'server_tool_use was left out: tools that run at Anthropic are part of conversations with its models only',
    ]);
  });
});

describe('options', () => {
  it.each([
    [{ thinking: { type: 'disabled' } }, 'none'],
    [{ thinking: { type: 'enabled', budget_tokens: 1_024 } }, 'low'],
    [{ thinking: { type: 'enabled', budget_tokens: 4_096 } }, 'medium'],
    [{ thinking: { type: 'enabled', budget_tokens: 31_999 } }, 'high'],
    [{ thinking: { type: 'adaptive' } }, undefined],
    [{ thinking: { type: 'adaptive' }, output_config: { effort: 'xhigh' } }, 'xhigh'],
    [{ output_config: { effort: 'max' } }, 'xhigh'],
    [{}, undefined],
  ])('%j is the effort %s', (members, effort) => {
    expect(inputOf(members).reasoningEffort).toBe(effort);
  });

  it('has tools as they were sent, and the choice between them', () => {
    const schema = { type: 'object', properties: { city: { type: 'string' } }, $defs: {} };
    const tools = [{ name: 'weather', input_schema: schema, strict: true, cache_control: { type: 'ephemeral' } }];
    const { input, announced } = parseMessagesRequest({
      ...base,
      tools,
      tool_choice: { type: 'any', disable_parallel_tool_use: true },
    });
    expect(input.tools).toEqual([
      { name: 'weather', parameters: schema, cache: {}, extra: { 'anthropic-messages': { strict: true } } },
    ]);
    expect(input).toMatchObject({ toolChoice: 'required', parallelToolCalls: false });
    expect(announced).toEqual(['tools[].strict is sent to models with the API of Anthropic only']);
  });

  it('keeps members of Anthropic for models of that API, and names them', () => {
    const { input, announced } = parseMessagesRequest({
      ...base,
      top_k: 5,
      metadata: { user_id: 'u' },
      new_member: { a: 1 },
      output_config: { effort: 'low', new_option: true },
      service_tier: null,
    });
    expect(input.extra).toEqual({
      'anthropic-messages': {
        top_k: 5,
        metadata: { user_id: 'u' },
        new_member: { a: 1 },
        output_config: { new_option: true },
      },
    });
    expect(announced).toContain('top_k is sent to models with the API of Anthropic only');
    expect(announced).toHaveLength(4);
  });

  it('reads stream and routing, and gives them to the gateway', () => {
    const routing = { optimize: 'cost', fallbacks: ['a/b'] };
    const request = parseMessagesRequest({ ...base, model: 'auto', stream: true, routing, stop_sequences: ['END'] });
    expect(request).toMatchObject({ stream: true, choice: { model: 'auto', routing }, warnings: [] });
    expect(request.input).toMatchObject({ model: 'auto', routing, stop: ['END'], maxTokens: 100 });
  });

  it('counts tokens without max_tokens', () => {
    const { max_tokens: _, ...rest } = base;
    expect(parseCountTokensRequest(rest).input.messages).toHaveLength(1);
  });
});

/** The refusal as a client reads it. */
function refusalOf(members: object): string {
  try {
    inputOf(members);
  } catch (error) {
    return mapError(error, 'request_1').body.error.message;
  }
  return 'accepted';
}

describe('refusals name the place as Anthropic does', () => {
  const image = (source: unknown) => ({ messages: [user({ type: 'image', source })] });
  it.each<readonly [object, string]>([
    [{ max_tokens: undefined }, 'max_tokens: is required, and must be a number'],
    [{ max_tokens: 0 }, 'max_tokens: must be at least 1'],
    [{ max_tokens: '9' }, 'max_tokens: must be a number'],
    [{ messages: [] }, 'messages: must have at least one message'],
    [{ messages: 'Hi' }, 'messages: must be a list'],
    [{ messages: [{ role: 'tool', content: 'x' }] }, 'messages.0.role: must be one of "user", "assistant", "system"'],
    [{ messages: [{ role: 'user' }] }, 'messages.0.content: is required, and must be a string or a list'],
    [{ messages: [user({ type: 'image' })] }, 'messages.0.content.0.source: is required, and must be an object'],
    [
      image({ type: 'base64', data: 'AA==', media_type: 'text/html' }),
      'messages.0.content.0.source.media_type: must be the media type of an image',
    ],
    [image({ type: 'url', url: 'file:///etc/passwd' }), 'messages.0.content.0.source.url: '],
    [
      image({ type: 'url', url: 'http://169.254.169.254/a.png' }),
      'messages.0.content.0.source.url: must not point to a private address',
    ],
    [
      image({ type: 'base64', data: '{}', media_type: 'image/png' }),
      'messages.0.content.0.source.data: must have data in base64',
    ],
    [image({ type: 'file', file_id: 'file_1' }), 'messages.0.content.0.source.type: names a file at Anthropic'],
    [{ messages: [user({ type: 'video' })] }, 'messages.0.content.0.type: must be one of "text", '],
    [{ messages: [user(result)] }, 'messages.0.content.0.tool_use_id: unexpected `tool_use_id` found'],
    [
      { messages: [user({ type: 'text', text: 'x' }), assistant(call), assistant(call)] },
      'messages.2: `tool_use` ids were found without',
    ],
    [
      { tools: [{ type: 'web_search_20250305', name: 'web_search' }] },
      'tools.0.type: web_search_20250305 is made by Anthropic',
    ],
    [{ tools: [{ name: 'a b', input_schema: { type: 'object' } }] }, 'tools.0.name: must be 1 to 64 letters'],
    [{ tools: [{ name: 'a'.repeat(65), input_schema: { type: 'object' } }] }, 'tools.0.name: must be 1 to 64 letters'],
    [{ tools: [{ name: 'a' }] }, 'tools.0.input_schema: is required'],
    [{ tool_choice: { type: 'tool', name: 'x' } }, 'tool_choice: needs tools'],
    [{ temperature: 2 }, 'temperature: must be at most 1'],
    [{ inference_geo: 'eu' }, 'inference_geo: is not supported for this model: only Anthropic can promise'],
    [{ mcp_servers: [{ type: 'url' }] }, 'mcp_servers: is not supported for this model'],
    [{ thread: { type: 'create' } }, 'thread: is not supported: no conversation is kept here'],
    [{ routing: { optimise: 'cost' } }, 'routing.optimise: '],
    [{ stop_sequences: [' '] }, 'stop_sequences.0: must have more than space'],
    [{ thinking: { type: 'enabled' } }, 'thinking.budget_tokens: is required, and must be a number'],
  ])('%j', (members, message) => {
    expect(refusalOf(members)).toContain(message);
  });

  it('and point into the body', () => {
    const faults = () => inputOf({ messages: [user({ type: 'image' })] });
    expect(faults).toThrow(
      expect.objectContaining({ errors: [expect.objectContaining({ pointer: '/messages/0/content/0/source' })] }),
    );
  });
});
