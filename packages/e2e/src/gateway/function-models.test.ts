import Anthropic from '@anthropic-ai/sdk';
import { upstreamReplies } from '@patchbay/testing';
import OpenAI from 'openai';
import { beforeAll, describe, expect, it } from 'vitest';
import { adminKey } from '../driver/server-process.ts';
import { useVendors } from './use-vendors.ts';

// Stored functions as models of unchanged clients: those with code run in the sandbox, those without ask a vendor.

const { server, openai: upstream } = await useVendors({ runsCode: true });
const openai = (apiKey = adminKey) => new OpenAI({ baseURL: `${server.running.url}/v1`, apiKey, maxRetries: 0 });
const anthropic = (apiKey = adminKey) => new Anthropic({ baseURL: server.running.url, apiKey, maxRetries: 0 });

const text = { type: 'object', properties: { text: { type: 'string' } }, required: ['text'] };
const story = { points: ['Once upon a time', 'the end'] };
const points = { type: 'array', items: { type: 'string' } };
const output = { type: 'object', properties: { points }, required: ['points'] };
const functions = [
  {
    name: 'Count Words',
    code: 'async function countWords({ text }) { return { words: text.split(" ").length } }',
    output: { type: 'object', properties: { words: { type: 'integer' } }, required: ['words'] },
  },
  {
    name: 'Ask a Model',
    code: `async function askAModel({ text }, { ai }) {
      const { text: points } = await ai.generate({ prompt: text, model: 'openai/gpt-4.1' });
      return { points: [points] };
    }`,
    output,
  },
  { name: 'Summarize Text', code: '', settings: { model: 'openai/gpt-4.1', prompt: '{{input.text}}' }, output },
];

const ids = new Map<string, string>();
beforeAll(async () => {
  for (const each of functions) {
    const { body } = await server.ask('POST', '/functions', { description: '', input: text, ...each });
    ids.set(each.name, String(body['id']));
  }
});

const statusesOf = async (name: string): Promise<readonly string[]> => {
  const { body } = await server.ask('GET', `/functions/${ids.get(name)}/executions`);
  return (body['data'] as readonly { readonly status: string }[]).map(({ status }) => status);
};
const keyWith = async (...scopes: readonly string[]): Promise<string> =>
  String((await server.ask('POST', '/keys', { name: scopes.join(), scopes })).body['key']);
const says = (content: string) => [{ role: 'user' as const, content }];

describe('a function with code', () => {
  it('answers a client of OpenAI', async () => {
    const model = 'fn/countWords';
    const { data, response } = await openai()
      .chat.completions.create({ model, messages: says('to be or not to be'), temperature: 0 })
      .withResponse();
    expect(data).toMatchObject({
      model,
      choices: [{ message: { role: 'assistant', content: '{"words":6}' }, finish_reason: 'stop' }],
      usage: { prompt_tokens: 0, completion_tokens: 0, total_tokens: 0 },
    });
    expect(response.headers.get('patchbay-call')).toBe(data.id);
    expect(response.headers.get('patchbay-warning')).toBe('"fn/countWords is a function and ignores temperature"');
  });

  it('answers a client of Anthropic', async () => {
    const body = { model: 'fn/Count Words', messages: says('{"text":"one two"}'), max_tokens: 10 };
    const message = await anthropic().messages.create(body);
    expect(message).toMatchObject({
      model: 'fn/Count Words',
      content: [{ type: 'text', text: '{"words":2}' }],
      stop_reason: 'end_turn',
    });
  });

  it('has the tokens of the models that it calls', async () => {
    const { choices, usage } = await openai().chat.completions.create({
      model: 'fn/askAModel',
      messages: says('hello'),
    });
    expect(choices[0]?.message.content).toBe('{"points":["Hello from the upstream."]}');
    expect(usage).toMatchObject({ prompt_tokens: 12, completion_tokens: 6, total_tokens: 18 });
  });

  it('comes in one piece where a stream is asked for', async () => {
    const stream = await openai().chat.completions.create({
      model: 'fn/countWords',
      messages: says('a b'),
      stream: true,
    });
    const pieces: string[] = [];
    for await (const { choices } of stream) pieces.push(choices[0]?.delta.content ?? '');
    expect(pieces.filter(Boolean)).toEqual(['{"words":2}']);
    expect(await statusesOf('Count Words')).toEqual(['completed', 'completed', 'completed']);
  });
});

describe('a function that a model implements', () => {
  const answer = () => upstreamReplies.healthy({ text: JSON.stringify(story) });

  it('streams to a client of OpenAI what the model writes, with its tokens', async () => {
    upstream.script(answer());
    const stream = openai().chat.completions.stream({
      model: 'fn/summarizeText',
      messages: says('long'),
      stream_options: { include_usage: true },
    });
    let content = '';
    for await (const { choices } of stream) content += choices[0]?.delta.content ?? '';
    expect(JSON.parse(content)).toEqual(story);
    expect(await stream.totalUsage()).toMatchObject({ prompt_tokens: 12, completion_tokens: 6 });
    expect(upstream.requests.at(-1)?.json).toMatchObject({ model: 'gpt-4.1' });
  });

  it('streams to a client of Anthropic what the model writes, with its tokens', async () => {
    upstream.script(answer());
    const stream = anthropic().messages.stream({ model: 'fn/summarizeText', messages: says('long'), max_tokens: 10 });
    let content = '';
    stream.on('text', (piece) => {
      content += piece;
    });
    const { usage, stop_reason: reason } = await stream.finalMessage();
    expect(JSON.parse(content)).toEqual(story);
    expect([usage.input_tokens, usage.output_tokens, reason]).toEqual([12, 6, 'end_turn']);
  });

  it('uses the settings of the label that the name has', async () => {
    upstream.script(answer());
    const path = `/functions/${ids.get('Summarize Text')}/settings`;
    await server.ask('PUT', path, { model: 'openai/gpt-4.1-mini', prompt: 'draft: {{input.text}}' });
    await server.ask('PUT', `${path}/labels/staging`, { version: 2 });
    await server.ask('PUT', `${path}/labels/production`, { version: 1 });
    const { choices } = await openai().chat.completions.create({
      model: 'fn/summarizeText@staging',
      messages: says('long'),
    });
    expect(JSON.parse(choices[0]?.message.content ?? '')).toEqual(story);
    expect(upstream.requests.at(-1)?.json).toMatchObject({ model: 'gpt-4.1-mini' });
    expect(upstream.requests.at(-1)?.body).toContain('draft: long');
  });

  it.each(['openai', 'anthropic'] as const)('ends at the vendor when a client of %s leaves', async (kind) => {
    const before = await statusesOf('Summarize Text');
    upstream.script(upstreamReplies.hangMidStream({ text: JSON.stringify(story) }));
    const body = { model: 'fn/summarizeText', messages: says('long'), stream: true } as const;
    const stream: AsyncIterable<unknown> =
      kind === 'openai'
        ? await openai().chat.completions.create(body)
        : await anthropic().messages.create({ ...body, max_tokens: 10 });
    for await (const event of stream) if (JSON.stringify(event).includes('points')) break;
    await upstream.whenSocketsClosed();
    const cancelled = async () => (await statusesOf('Summarize Text')).filter((each) => each === 'cancelled').length;
    const known = before.filter((each) => each === 'cancelled').length;
    await expect.poll(cancelled).toBe(known + 1);
  });
});

describe('what cannot be served fails in the class of its client', () => {
  const ask = (model: string, content: string, apiKey?: string) => [
    openai(apiKey).chat.completions.create({ model, messages: says(content) }),
    anthropic(apiKey).messages.create({ model, messages: says(content), max_tokens: 10 }),
  ];
  const refusals = async (requests: readonly Promise<unknown>[]) =>
    await Promise.all(
      requests.map((request) =>
        request.then(
          () => undefined,
          (error: unknown) => error,
        ),
      ),
    );

  it('an unknown function', async () => {
    const [one, other] = await refusals(ask('fn/countWord', 'a'));
    expect(one).toBeInstanceOf(OpenAI.NotFoundError);
    expect(one).toMatchObject({ code: 'model_not_found', param: 'model' });
    expect(other).toBeInstanceOf(Anthropic.NotFoundError);
    expect(String(other)).toContain('did you mean \\"fn/Count Words\\"?');
  });

  it('an input that does not fit', async () => {
    const [one, other] = await refusals(ask('fn/countWords', '{"text":1}'));
    expect(one).toBeInstanceOf(OpenAI.BadRequestError);
    expect(one).toMatchObject({ param: 'messages' });
    expect(other).toBeInstanceOf(Anthropic.BadRequestError);
  });

  it('a key that may use models, but not functions', async () => {
    const [one, other] = await refusals(ask('fn/countWords', 'a', await keyWith('gateway:invoke')));
    expect(one).toBeInstanceOf(OpenAI.PermissionDeniedError);
    expect(other).toBeInstanceOf(Anthropic.PermissionDeniedError);
    const key = await keyWith('gateway:invoke', 'functions:execute');
    expect(await refusals(ask('fn/countWords', 'a', key))).toEqual([undefined, undefined]);
  });

  it('tools of the client', async () => {
    const schema = { type: 'object' } as const;
    const [one, other] = await refusals([
      openai().chat.completions.create({
        model: 'fn/countWords',
        messages: says('a'),
        tools: [{ type: 'function', function: { name: 'f', parameters: schema } }],
      }),
      anthropic().messages.create({
        model: 'fn/countWords',
        messages: says('a'),
        max_tokens: 10,
        tools: [{ name: 'f', input_schema: schema }],
      }),
    ]);
    expect(one).toBeInstanceOf(OpenAI.BadRequestError);
    expect(one).toMatchObject({ param: 'tools' });
    expect(other).toBeInstanceOf(Anthropic.BadRequestError);
  });
});
