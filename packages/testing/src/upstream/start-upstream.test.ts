import { connect } from 'node:net';
import { afterEach, describe, expect, it } from 'vitest';
import { chatCall, dialectNames } from './fixtures/vendor-calls.ts';
import { startUpstream, type UpstreamOptions } from './start-upstream.ts';
import type { Upstream } from './upstream.ts';
import { upstreamReplies } from './upstream-replies.ts';

const started: Upstream[] = [];
afterEach(async () => {
  for (const upstream of started.splice(0)) await upstream.stop();
});

async function start(dialect: UpstreamOptions['dialect']): Promise<Upstream> {
  const upstream = await startUpstream({ dialect });
  started.push(upstream);
  return upstream;
}

async function post(upstream: Upstream, call: { path: string; headers: Record<string, string>; body: unknown }) {
  const response = await fetch(upstream.url + call.path, {
    method: 'POST',
    headers: call.headers,
    body: JSON.stringify(call.body),
  });
  return { status: response.status, headers: response.headers, text: await response.text() };
}

describe('startUpstream', () => {
  it.each(dialectNames)('answers a chat of %s and refuses one without key', async (name) => {
    const upstream = await start(name);
    const answer = await post(upstream, chatCall(name, false));
    expect(answer.status).toBe(200);
    expect(answer.text).toContain('Hello from the upstream.');
    expect(upstream.requests[0]).toMatchObject({
      method: 'POST',
      path: chatCall(name, false).path,
      json: chatCall(name, false).body,
    });

    const { status } = await post(upstream, {
      ...chatCall(name, false),
      headers: { 'anthropic-version': '2023-06-01' },
    });
    expect([401, 403]).toContain(status);
  });

  it('answers embeddings of OpenAI as numbers or packed, and of Gemini one by one or many at once', async () => {
    const embedding = [0.5, -2, 0.25];
    const other = [1, 0.5, 0.75];
    const openai = await start('openai');
    const google = await start('google');
    const reply = upstreamReplies.healthy({ embeddings: [embedding, other] });
    for (const upstream of [openai, google]) upstream.script(reply);
    const embed = async (more: object) => {
      const body = { model: 'm', input: ['a', 'b'], ...more };
      const answer = await post(openai, { ...chatCall('openai', false), path: '/v1/embeddings', body });
      return JSON.parse(answer.text).data.map((each: { embedding: unknown }) => each.embedding);
    };
    expect(await embed({})).toEqual([embedding, other]);
    const [packed] = await embed({ encoding_format: 'base64' });
    expect([...new Float32Array(new Uint8Array(Buffer.from(packed, 'base64')).buffer)]).toEqual(embedding);

    const content = { parts: [{ text: 'a' }] };
    const ask = async (method: string, body: object) => {
      const answer = await post(google, { ...chatCall('google', false), path: `/v1beta/models/m:${method}`, body });
      return JSON.parse(answer.text);
    };
    expect(await ask('embedContent', { content })).toEqual({ embedding: { values: embedding } });
    const { embeddings } = await ask('batchEmbedContents', { requests: [{ content }, { content }] });
    expect(embeddings).toEqual([{ values: embedding }, { values: other }]);

    google.script(upstreamReplies.infiniteEmbedding());
    expect((await ask('embedContent', { content })).embedding.values).toEqual([Number.POSITIVE_INFINITY, 0.25]);
  });

  it('streams the pieces of a text, then says that it is complete', async () => {
    const upstream = await start('openai');
    upstream.script(upstreamReplies.healthy({ text: 'Good morning.' }));
    const call = chatCall('openai', true);
    const events = (await post(upstream, call)).text.trim().split('\n\n');
    expect(events.at(-1)).toBe('data: [DONE]');
    const deltas = events
      .slice(0, -1)
      .map((event) => JSON.parse(event.slice('data: '.length)).choices[0].delta.content);
    expect(deltas.join('')).toBe('Good morning.');
  });

  const call = { id: 'call_1', type: 'function', function: { name: 'weather', arguments: '{}' } };
  const toolUse = { type: 'tool_use', id: 'toolu_1', name: 'weather', input: {} };
  const toolResult = { type: 'tool_result', tool_use_id: 'toolu_1' };
  const thinking = { type: 'thinking', thinking: 'Hm.', signature: 'sig' };
  const item = { type: 'function_call', call_id: 'call_1', name: 'weather', arguments: '{}' };
  it.each([
    ['openai', { messages: [{ role: 'assistant', tool_calls: [call] }] }, 'did not have response messages: call_1'],
    ['openai', { parallel_tool_calls: false }, "only allowed when 'tools' are specified"],
    ['openai', { messages: [{ role: 'assistant', content: [{ type: 'reasoning' }] }] }, "Invalid value: 'reasoning'"],
    ['openai-responses', { input: [item] }, 'No tool output found for function call call_1'],
    ['openai-responses', { stop: ['x'] }, "Unsupported parameter: 'stop'"],
    ['anthropic', { messages: [{ role: 'assistant', content: [toolUse] }] }, 'without `tool_result` blocks'],
    [
      'anthropic',
      { messages: [{ role: 'assistant', content: [{ type: 'thinking', thinking: 'Hm.' }] }] },
      'messages.0.content.0.thinking.signature: Field required',
    ],
    [
      'anthropic',
      { messages: [{ role: 'assistant', content: [{ ...thinking, cache_control: {} }] }] },
      'thinking.cache_control: Extra inputs are not permitted',
    ],
    [
      'anthropic',
      {
        messages: [
          { role: 'assistant', content: [toolUse] },
          { role: 'user', content: [{ ...toolResult, content: [{ type: 'text', text: 'x', cache_control: {} }] }] },
        ],
      },
      'may not be specified within `tool_result.content`',
    ],
    [
      'anthropic',
      {
        messages: [
          { role: 'user', content: 'Hi' },
          { role: 'system', content: 'Be brief.' },
          { role: 'user', content: 'Hi' },
        ],
      },
      'messages.1: a system message must follow a user message',
    ],
    ['google', { contents: [{ role: 'assistant', parts: [] }] }, 'Please use a valid role'],
    ['google', { contents: [{ role: 'user', parts: [{ text: 'Hi' }, { text: '' }] }] }, 'contents[0].parts[1].data'],
  ] as const)('%s refuses %j as the vendor does', async (name, body, message) => {
    const upstream = await start(name);
    const asked = chatCall(name, false);
    const { status, text } = await post(upstream, { ...asked, body: { ...asked.body, ...body } });
    expect([status, JSON.parse(text).error.message]).toEqual([400, expect.stringContaining(message)]);
  });

  it.each([
    ['gemini-3.8-flash', undefined, 400],
    ['gemini-3.8-flash', 'c2ln', 200],
    ['gemini-2.5-flash', undefined, 200],
  ])('%s answers calls with the signature %s in the history with %d', async (model, thoughtSignature, status) => {
    const upstream = await start('google');
    const functionCall = { functionCall: { name: 'weather', args: {} }, ...(thoughtSignature && { thoughtSignature }) };
    const contents = [
      { role: 'user', parts: [{ text: 'Hi' }] },
      { role: 'model', parts: [functionCall] },
      { role: 'user', parts: [{ functionResponse: { name: 'weather', response: {} } }] },
    ];
    const asked = { ...chatCall('google', false), path: `/v1beta/models/${model}:generateContent` };
    expect((await post(upstream, { ...asked, body: { contents } })).status).toBe(status);
  });

  it('plays a script, whose last reply stays', async () => {
    const upstream = await start('anthropic');
    const { status } = upstreamReplies;
    upstream.script(status(429, { retryAfter: '7' }), status(529));
    const first = await post(upstream, chatCall('anthropic', false));
    expect([first.status, first.headers.get('retry-after')]).toEqual([429, '7']);
    expect((await post(upstream, chatCall('anthropic', false))).status).toBe(529);
    expect((await post(upstream, chatCall('anthropic', false))).status).toBe(529);
    upstream.script();
    expect((await post(upstream, chatCall('anthropic', false))).status).toBe(200);
  });

  it('sees connections open and close', async () => {
    const upstream = await start('google');
    const socket = connect(Number(new URL(upstream.url).port), '127.0.0.1');
    socket.write('POST /v1/models/m:generateContent HTTP/1.1\r\nx-goog-api-key: key\r\ncontent-length: 15\r\n\r\n');
    const arrived = upstream.nextRequest();
    socket.write('{"contents":[]}');
    const request = await arrived;
    expect(upstream.openSockets()).toBe(1);
    socket.destroy();
    await upstream.whenSocketsClosed();
    expect(request.closed.aborted).toBe(true);
    expect([upstream.connections, upstream.openSockets()]).toEqual([1, 0]);
  });
});
