import { describe, expect, it } from 'vitest';
import { createRedactor } from '../secrets/redactor.ts';
import { prepareContent } from './prepare-content.ts';
import { compileRules } from './redaction-rules.ts';
import type { GivenContent } from './stored-content.ts';

const image = Buffer.alloc(600, 7).toString('base64');

function prepare(content: GivenContent, more: { readonly rules?: readonly string[]; readonly maxBytes?: number } = {}) {
  const { rules = [], maxBytes = 65_536 } = more;
  const redactor = createRedactor(['secret-of-the-server']);
  const hide = (text: string) => redactor.text(text);
  return prepareContent(content, { level: 'full', maxBytes, rules: compileRules(rules), hide });
}

const chat = { messages: [{ role: 'user', content: 'Hello' }], temperature: 0 };
const said = { message: { role: 'assistant', content: 'Hi' }, finishReason: 'stop' };

describe('content with the level metadata', () => {
  it('has sizes, counts and names, and no text', () => {
    const request = {
      messages: [
        { role: 'system', content: 'Secret words' },
        { role: 'user', content: 'Secret question' },
        { role: 'Secret role', content: '' },
      ],
      tools: [{ name: 'search', parameters: {} }, 'docs.find'],
    };
    const call = { type: 'tool-call', id: '1', name: 'search', arguments: { query: 'Secret query' } };
    const response = { message: { role: 'assistant', content: '', parts: [call] }, finishReason: 'tool-calls' };
    const repairs = [
      { model: 'a/b', output: { secret: 'Secret' }, errors: [{ pointer: '/x', detail: 'is required' }] },
    ];
    const bounds = {
      level: 'metadata',
      maxBytes: 65_536,
      rules: compileRules([]),
      hide: (text: string) => text,
    } as const;
    const stored = prepareContent({ request, response, repairs }, bounds);
    expect(stored).toMatchObject({ level: 'metadata', documents: null });
    expect(stored.summary).toEqual({
      requestBytes: expect.any(Number),
      responseBytes: expect.any(Number),
      messages: 3,
      roles: { system: 1, user: 1, other: 1 },
      tools: ['search', 'docs.find'],
      toolCalls: ['search'],
      finishReason: 'tool-calls',
      repairs: [{ model: 'a/b', bytes: 20, errors: [{ pointer: '/x', detail: 'is required' }] }],
    });
    expect(JSON.stringify(stored)).not.toContain('Secret');
  });

  it.each([
    ['OpenAI', { choices: [{ message: { tool_calls: [{ function: { name: 'f' } }] }, finish_reason: 'x' }] }],
    ['Anthropic', { content: [{ type: 'tool_use', name: 'f' }], stop_reason: 'x' }],
    ['responses of OpenAI', { output: [{ type: 'function_call', name: 'f' }], status: 'x' }],
  ])('recognizes tool calls and the finish reason in the API of %s', (_, response) => {
    const { summary } = prepare({ request: { input: [{ role: 'user' }] }, response });
    expect(summary).toMatchObject({ messages: 1, toolCalls: ['f'], finishReason: 'x' });
  });
});

describe('stored content', () => {
  it('has the documents unchanged', () => {
    const stored = prepare({ request: chat, response: said });
    expect(stored).toMatchObject({ level: 'full', redacted: [], cut: [], omitted: [] });
    expect(stored.documents).toEqual({ request: chat, response: said, repairs: [] });
  });

  it('has nothing that a rule names, nor any repetition of it', () => {
    const request = {
      input: { email: 'ada@example.com', pin: '42', name: 'Ada' },
      messages: [{ role: 'user', content: '{"email":"ada@example.com","pin":"42","name":"Ada"}' }],
    };
    const response = { output: { to: 'ada@example.com', text: 'Your pin is 42, Ada; not 4242.' } };
    const repairs = [
      { model: 'a/b', output: 'Dear ada@example.com', errors: [{ pointer: '/to', detail: 'ada@example.com' }] },
    ];
    const stored = prepare(
      { request, response, repairs },
      { rules: ['/input/email', '/input/pin', '/output/nothing'] },
    );
    expect(stored.redacted).toEqual(['/request/input/email', '/request/input/pin']);
    expect(stored.documents?.request).toEqual({
      input: { email: '[redacted]', pin: '[redacted]', name: 'Ada' },
      messages: [{ role: 'user', content: '{"email":"[redacted]","pin":"[redacted]","name":"Ada"}' }],
    });
    expect(stored.documents?.response).toEqual({
      output: { to: '[redacted]', text: 'Your pin is [redacted], Ada; not 4242.' },
    });
    expect(JSON.stringify(stored)).not.toContain('ada@example.com');
  });

  it('applies rules to rejected outputs', () => {
    const repairs = [{ model: 'a/b', output: { name: 'Ada', age: 'x' }, errors: [] }];
    const { documents, redacted } = prepare({ request: {}, repairs }, { rules: ['/output/name'] });
    expect([documents?.repairs[0]?.output, redacted]).toEqual([
      { name: '[redacted]', age: 'x' },
      ['/repairs/0/output/name'],
    ]);
  });

  it('is left out if too much was redacted to search for repetitions', () => {
    const list = Array.from({ length: 500 }, (_, index) => `value ${index}`);
    const stored = prepare({ request: { input: { list } }, response: { text: list.join() } }, { rules: ['/input'] });
    expect(stored).toMatchObject({
      level: 'metadata',
      documents: null,
      redacted: ['/request/input'],
      cut: [{ pointer: '' }],
    });
    expect(JSON.stringify(stored)).not.toContain('value 7');
  });

  it.each<[string, object]>([
    ['a gateway part', { type: 'image', data: 'iVBORw0KGgo=', mediaType: 'image/png' }],
    ['a URL', { type: 'image', url: `data:image/png;base64,${image}` }],
    ['an Anthropic part', { source: { type: 'base64', media_type: 'image/png', data: 'iVBORw0KGgo=' } }],
    ['an OpenAI part', { type: 'input_audio', input_audio: { data: 'iVBORw0KGgo=', format: 'wav' } }],
    ['an OpenAI response', { b64_json: 'iVBORw0KGgo=' }],
    ['a string', { text: `See ![](data:image/png;base64,${image}) and more` }],
    ['an unknown member', { something: image }],
  ])('has only the size and type of a file in %s', (_, part) => {
    const stored = prepare({ request: { messages: [{ role: 'user', content: [part] }] } });
    expect(stored.omitted).toEqual([expect.objectContaining({ bytes: expect.any(Number) })]);
    expect(JSON.stringify(stored)).not.toMatch(/iVBORw0KGgo|BwcHBwcHBwcHBwcH/);
  });

  it('has no credentials', () => {
    const tool = { headers: { Authorization: 'Bearer abc' }, server_token: 'def', api_key: 'ghi' };
    const request = { messages: [{ content: 'It is secret-of-the-server.' }], tools: [tool] };
    const address = { image_url: 'https://me:pass@example.com/a.png?signature=jkl' };
    const { documents } = prepare({ request: { ...request, address } });
    expect(documents?.request).toEqual({
      messages: [{ content: 'It is [hidden].' }],
      tools: [{ headers: { Authorization: '[hidden]' }, server_token: '[hidden]', api_key: '[hidden]' }],
      address: { image_url: 'https://[hidden]@example.com/a.png?[hidden]' },
    });
  });

  it.each([
    ['a long text', { text: 'ä 😀'.repeat(10_000) }],
    [
      'many messages',
      { messages: Array.from({ length: 3_000 }, (_, index) => ({ role: 'user', content: `n ${index}` })) },
    ],
    [
      'many members',
      Object.fromEntries(Array.from({ length: 3_000 }, (_, index) => [`name ${index}`, 'value'.repeat(9)])),
    ],
    ['escapes', { text: '\u0001"\\'.repeat(20_000) }],
    ['lone surrogates', { text: '\ud800 '.repeat(20_000) }],
  ])('with %s fits its size limit, and records what was cut', (_, request) => {
    const { documents, cut } = prepare({ request, response: said }, { maxBytes: 4_096 });
    const text = JSON.stringify(documents);
    expect(Buffer.byteLength(text)).toBeLessThanOrEqual(4_096);
    expect(JSON.parse(text)).toEqual(documents);
    expect(documents?.response).toEqual(said);
    expect(cut.length).toBeGreaterThan(0);
  });

  it('records the sizes before the cut', () => {
    const { cut } = prepare(
      { request: { text: 'ab '.repeat(30_000), list: Array(2_000).fill('') } },
      { maxBytes: 65_536 },
    );
    expect(cut).toEqual([
      { pointer: '/request/text', bytes: 90_000 },
      { pointer: '/request/list', items: 2_000 },
    ]);
  });

  it('keeps the beginning and the end of a long conversation', () => {
    const messages = Array.from({ length: 2_000 }, (_, index) => `message ${index}`);
    const { documents } = prepare({ request: { messages } }, { maxBytes: 32_768 });
    const kept = documents?.request['messages'] as readonly string[];
    expect([kept[0], kept.at(-1)]).toEqual(['message 0', 'message 1999']);
  });

  it('is only the summary if nothing else is small enough', () => {
    const request = Object.fromEntries(Array.from({ length: 20 }, (_, index) => [`${index} ${'x'.repeat(900)}`, 1]));
    expect(prepare({ request }, { maxBytes: 1_024 })).toMatchObject({
      level: 'metadata',
      documents: null,
      cut: [{ pointer: '' }],
    });
  });
});
