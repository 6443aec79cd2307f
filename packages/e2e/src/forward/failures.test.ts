import { upstreamReplies } from '@patchbay/testing';
import { describe, expect, it } from 'vitest';
import {
  asked,
  chats,
  message,
  messages,
  question,
  responses,
  startForwardingApp,
  vendorKey,
} from './forwarding-app.ts';

const { status, body, hang, errorEvent, closeMidStream, healthy, refusal } = upstreamReplies;
const streamed = question('openai/large', { stream: true });
const withFallback = { routing: { fallbacks: ['other/large'] } };

describe('a refusal of the vendor', () => {
  it.each([400, 404, 413, 422, 429])('of %i comes back in its own words', async (code) => {
    const app = await startForwardingApp();
    const words = '{ "error": {"message": "no", "type": "new_type", "param": null, "code": null, "unknown": 1} }';
    const headers = { 'retry-after': '30', 'x-should-retry': 'false', 'openai-organization': 'org-1' };
    app.openai.script(body(words, { status: code, headers }));
    const response = await app.send(chats, question());
    expect([response.status, await response.text()]).toEqual([code, words]);
    expect(response.headers.get('retry-after')).toBe('30');
    expect(response.headers.get('x-should-retry')).toBe('false');
    expect(response.headers.get('openai-organization')).toBeNull();
  });

  it('comes back before a stream begins', async () => {
    const app = await startForwardingApp();
    app.anthropic.script(refusal('context_length'));
    const response = await app.send(messages, message('anthropic/large', { stream: true }));
    expect(response.status).toBe(400);
    expect(await response.json()).toMatchObject({ type: 'error', request_id: 'req_upstream' });
  });

  it('does not show the key of the server', async () => {
    const app = await startForwardingApp();
    app.openai.script(status(400, { message: `bad key ${vendorKey}` }));
    const text = await (await app.send(chats, question())).text();
    expect(text).toContain('bad key [redacted]');
  });

  it.each([401, 402, 403])('of %i concerns the key of the server, and is a 502', async (code) => {
    const app = await startForwardingApp();
    for (const upstream of [app.openai, app.anthropic])
      upstream.script(status(code, { message: 'the words of the vendor' }));
    for (const response of [await app.send(chats, question()), await app.send(messages, message())]) {
      expect(response.status).toBe(502);
      expect(await response.text()).not.toContain('the words of the vendor');
    }
  });

  it('of one request does not take the model from others', async () => {
    const app = await startForwardingApp();
    app.anthropic.script(status(404), status(403), healthy());
    expect((await app.send(messages, message())).status).toBe(404);
    expect((await app.send(messages, message())).status).toBe(502);
    expect((await app.send(messages, message())).status).toBe(200);
  });
});

describe('a failure of the vendor', () => {
  it.each([
    ['500', status(500), 502],
    ['a page', upstreamReplies.html(), 502],
    ['half a body', upstreamReplies.closeMidBody(), 502],
    ['negative usage', upstreamReplies.negativeUsage(), 502],
    ['{}', body('{}'), 502],
  ])('of %s is a 5xx without fallback, and passed over with one', async (_, reply, code) => {
    const app = await startForwardingApp();
    app.openai.script(reply);
    expect((await app.send(chats, question())).status).toBe(code);
    const response = await app.send(chats, { ...question(), ...withFallback });
    expect(response.status).toBe(200);
    expect(response.headers.get('patchbay-route')).toMatch(/^named;failed="openai\/large provider_/);
    expect(app.other.requests).toHaveLength(1);
  });

  it('of 429 is passed over first', async () => {
    const app = await startForwardingApp();
    app.openai.script(status(429, { retryAfter: '3600' }));
    expect((await app.send(chats, { ...question(), ...withFallback })).status).toBe(200);
    expect(app.other.requests).toHaveLength(1);
  });

  it('opens the circuit of the model', async () => {
    const app = await startForwardingApp();
    app.openai.script(status(500));
    const statuses: number[] = [];
    for (let index = 0; index < 12; index += 1) statuses.push((await app.send(chats, question())).status);
    const asked = app.openai.requests.length;
    expect(statuses[0]).toBe(502);
    expect(statuses.at(-1)).toBe(503);
    expect((await app.send(chats, question())).status).toBe(503);
    expect(app.openai.requests).toHaveLength(asked);
  });

  it.each([
    ['an error', errorEventAtOnce()],
    ['the end of the connection', upstreamReplies.closeMidBody()],
    ['JSON', body('{}')],
  ])('of %s before the first token is passed over', async (_, reply) => {
    const app = await startForwardingApp();
    app.openai.script(reply);
    const response = await app.send(chats, { ...streamed, ...withFallback });
    const text = await response.text();
    expect(text).toContain('data: [DONE]');
    expect(text).not.toContain('"error"');
    expect(response.headers.get('patchbay-route')).toContain('failed="openai/large');
    expect(app.other.requests).toHaveLength(1);
  });

  it('falls back to a model of another dialect, which gets the request translated', async () => {
    const app = await startForwardingApp();
    app.openai.script(status(500));
    const sent = question('openai/large', { routing: { fallbacks: ['anthropic/large'] } });
    const response = await app.send(chats, sent);
    expect(await response.json()).toMatchObject({ object: 'chat.completion', model: 'anthropic/large' });
    expect(app.anthropic.requests[0]?.json).toMatchObject({ model: 'large', max_tokens: expect.any(Number) });
  });

  it('within a stream is reported once, in the words of the vendor, where no model continues', async () => {
    const app = await startForwardingApp();
    app.openai.script(errorEvent('Overloaded'));
    const routing = { ...withFallback.routing, onInterrupt: 'error' };
    const text = await (await app.send(chats, { ...streamed, routing })).text();
    expect(text.match(/"error"/g)).toHaveLength(1);
    expect(text).toContain('Overloaded');
    expect(text).not.toContain('[DONE]');
    expect(app.other.requests).toEqual([]);
  });

  it.each([
    [chats, 'openai', streamed],
    [responses, 'openai', asked('openai/large', { stream: true })],
    [messages, 'anthropic', message('anthropic/large', { stream: true })],
  ] as const)('within a stream of %s does not show the key of the server', async (path, vendor, sent) => {
    const app = await startForwardingApp();
    app[vendor].script(errorEvent(`bad key ${vendorKey}`));
    const text = await (await app.send(path, sent)).text();
    expect(text).toContain('bad key [redacted]');
    expect(text).not.toContain(vendorKey);
  });

  it('that garbles a stream counts as one, and is reported', async () => {
    const app = await startForwardingApp();
    app.openai.script(upstreamReplies.malformedEvent());
    const text = await (await app.send(chats, streamed)).text();
    expect(text).not.toContain('[DONE]');
    expect(text).toContain('"error"');
    expect(await app.test.app.host.metrics()).toMatch(
      /gen_ai_client_operation_duration_seconds_count\{.*provider_bad_response.*\} 1/,
    );
  });

  it.each([
    [chats, 'openai', streamed],
    [responses, 'openai', asked('openai/large', { stream: true })],
    [messages, 'anthropic', message('anthropic/large', { stream: true })],
  ] as const)('that cuts a stream of %s does not look like its end', async (path, vendor, sent) => {
    const app = await startForwardingApp();
    app[vendor].script(closeMidStream());
    const text = await (await app.send(path, sent)).text();
    expect(text).not.toMatch(/\[DONE\]|message_stop|response\.completed/);
    expect(text).toContain('"error"');
  });
});

describe('a client that leaves', () => {
  it.each([
    ['before the response', hang(), question(), false],
    ['before the first token', hang(), streamed, false],
    ['within the stream', upstreamReplies.hangMidStream(), streamed, true],
  ])('%s closes the connection to the vendor', async (_, reply, sent, reads) => {
    const app = await startForwardingApp();
    app.openai.script(reply);
    const leaving = new AbortController();
    const arrived = app.openai.nextRequest();
    const response = app.send(chats, sent, { signal: leaving.signal });
    const request = await arrived;
    const reader = reads ? (await response).body?.getReader() : undefined;
    await reader?.read();
    leaving.abort();
    await app.openai.whenSocketsClosed();
    expect(request.aborted).toBe(true);
    await reader?.cancel().catch(() => undefined);
    await response.catch(() => undefined);
  });

  it('leaves no connection open and no request in progress, wherever 300 of them left', async () => {
    const app = await startForwardingApp();
    for (const upstream of [app.openai, app.anthropic]) upstream.script(upstreamReplies.hangMidStream());
    const leave = async (index: number) => {
      const leaving = new AbortController();
      const [path, sent] =
        index % 2 === 0 ? [chats, streamed] : [messages, message('anthropic/large', { stream: true })];
      const response = app.send(path as string, sent, { signal: leaving.signal });
      // Before it is sent, before the response, or within it.
      if (index % 3 === 1) await new Promise(setImmediate);
      if (index % 3 === 2) await (await response).body?.getReader().read();
      leaving.abort();
      await response.catch(() => undefined);
    };
    for (let round = 0; round < 6; round += 1) {
      await Promise.all(Array.from({ length: 50 }, (_, index) => leave(50 * round + index)));
    }
    await Promise.all([app.openai.whenSocketsClosed(), app.anthropic.whenSocketsClosed()]);
    const metrics = await app.test.app.host.metrics();
    const active = metrics.split('\n').filter((line) => line.startsWith('patchbay_model_active{'));
    expect(active.length).toBeGreaterThan(0);
    expect(active.filter((line) => !line.endsWith(' 0'))).toEqual([]);
    for (const upstream of [app.openai, app.anthropic]) upstream.script(healthy());
    expect((await app.send(chats, question())).status).toBe(200);
    expect((await app.send(messages, message())).status).toBe(200);
  });
});

function errorEventAtOnce() {
  return body('data: {"error":{"message":"Overloaded","type":"server_error"}}\n\n', {
    contentType: 'text/event-stream',
  });
}
