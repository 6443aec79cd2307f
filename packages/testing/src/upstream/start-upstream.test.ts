import { connect } from 'node:net';
import { afterEach, describe, expect, it } from 'vitest';
import { startUpstream } from './start-upstream.ts';
import type { Upstream } from './upstream.ts';
import { upstreamReplies } from './upstream-replies.ts';

const started: Upstream[] = [];
afterEach(async () => {
  for (const upstream of started.splice(0)) await upstream.stop();
});

async function start(dialect: 'openai' | 'anthropic' | 'google'): Promise<Upstream> {
  const upstream = await startUpstream({ dialect });
  started.push(upstream);
  return upstream;
}

const calls = {
  openai: {
    path: '/v1/chat/completions',
    headers: { authorization: 'Bearer key' },
    body: { model: 'm', messages: [{ role: 'user', content: 'Hi' }] },
  },
  anthropic: {
    path: '/v1/messages',
    headers: { 'x-api-key': 'key', 'anthropic-version': '2023-06-01' },
    body: { model: 'm', max_tokens: 9, messages: [{ role: 'user', content: 'Hi' }] },
  },
  google: {
    path: '/v1beta/models/m:generateContent',
    headers: { 'x-goog-api-key': 'key' },
    body: { contents: [{ role: 'user', parts: [{ text: 'Hi' }] }] },
  },
} as const;

async function post(upstream: Upstream, call: { path: string; headers: Record<string, string>; body: unknown }) {
  const response = await fetch(upstream.url + call.path, {
    method: 'POST',
    headers: call.headers,
    body: JSON.stringify(call.body),
  });
  return { status: response.status, headers: response.headers, text: await response.text() };
}

describe('startUpstream', () => {
  it.each(['openai', 'anthropic', 'google'] as const)(
    'answers a chat of %s and refuses one without key',
    async (name) => {
      const upstream = await start(name);
      const answer = await post(upstream, calls[name]);
      expect(answer.status).toBe(200);
      expect(answer.text).toContain('Hello from the upstream.');
      expect(upstream.requests[0]).toMatchObject({ method: 'POST', path: calls[name].path, json: calls[name].body });

      const { status } = await post(upstream, { ...calls[name], headers: { 'anthropic-version': '2023-06-01' } });
      expect([401, 403]).toContain(status);
    },
  );

  it('streams the pieces of a text, then says that it is complete', async () => {
    const upstream = await start('openai');
    upstream.script(upstreamReplies.healthy({ text: 'Good morning.' }));
    const call = { ...calls.openai, body: { ...calls.openai.body, stream: true } };
    const events = (await post(upstream, call)).text.trim().split('\n\n');
    expect(events.at(-1)).toBe('data: [DONE]');
    const deltas = events
      .slice(0, -1)
      .map((event) => JSON.parse(event.slice('data: '.length)).choices[0].delta.content);
    expect(deltas.join('')).toBe('Good morning.');
  });

  it('plays a script, whose last reply stays', async () => {
    const upstream = await start('anthropic');
    const { status } = upstreamReplies;
    upstream.script(status(429, { retryAfter: '7' }), status(529));
    const first = await post(upstream, calls.anthropic);
    expect([first.status, first.headers.get('retry-after')]).toEqual([429, '7']);
    expect((await post(upstream, calls.anthropic)).status).toBe(529);
    expect((await post(upstream, calls.anthropic)).status).toBe(529);
    upstream.script();
    expect((await post(upstream, calls.anthropic)).status).toBe(200);
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
