import { upstreamReplies } from '@patchbay/testing';
import { describe, expect, it } from 'vitest';
import {
  asked,
  chats,
  type ForwardingApp,
  message,
  messages,
  question,
  responses,
  startForwardingApp,
} from './forwarding-app.ts';

const { body, closeMidStream, errorEvent, hangMidStream, healthy, malformedEvent, status } = upstreamReplies;
const streamed = question('openai/large', { stream: true, routing: { fallbacks: ['other/large'] } });

/** The default reply of the upstream. */
const whole = 'Hello from the upstream.';
const chunk = (content: string) => `data: ${JSON.stringify({ choices: [{ index: 0, delta: { content } }] })}`;

/** All texts of a stream under one name, in a row. */
const textsIn = (stream: string, name: string): string =>
  [...stream.matchAll(new RegExp(`"${name}":("[^"]*")`, 'g'))].map(([, text = '""']) => JSON.parse(text)).join('');

async function callsOf({ test }: ForwardingApp) {
  const caller = await test.app.services.authenticate({ token: test.token() });
  const context = { caller, requestId: 'r', signal: AbortSignal.timeout(60_000), logger: test.app.host.logger };
  const range = { from: '2020-01-01T00:00:00.000Z', to: '2100-01-01T00:00:00.000Z' };
  const { groups } = await test.app.services.usage.report({ ...range, groupBy: 'model' }, context);
  return groups;
}

describe('a forwarded stream that is interrupted', () => {
  it.each([
    ['is cut', closeMidStream()],
    ['reports a failure', errorEvent('Overloaded')],
    ['sends an event that is no JSON', malformedEvent()],
    [
      'ends behind an event without its empty line',
      body(`${chunk('Hello')}\n\n${chunk(' from')}`, { contentType: 'text/event-stream' }),
    ],
  ])('goes on with another model where it %s, and has the whole text once', async (_, reply) => {
    const app = await startForwardingApp();
    app.openai.script(reply);
    const response = await app.send(chats, streamed);
    expect(response.headers.get('patchbay-route')).toBe('named');
    const stream = await response.text();
    expect(textsIn(stream, 'content')).toBe(whole);
    expect(stream).toContain('resumed="other/large"');
    expect(stream).not.toContain('"error"');
    expect(stream.endsWith('data: [DONE]\n\n')).toBe(true);
    expect(app.openai.requests).toHaveLength(1);
    expect(app.other.requests).toHaveLength(1);
    const calls = await callsOf(app);
    expect(calls).toMatchObject([
      { group: 'openai/large', totals: { modelCalls: 1, failures: 1 } },
      { group: 'other/large', totals: { modelCalls: 1, failures: 0 } },
    ]);
    expect(Math.min(...calls.map(({ totals }) => totals.costNanoUsd ?? 0))).toBeGreaterThan(0);
  });

  it('of messages goes on with a model of another vendor', async () => {
    const app = await startForwardingApp();
    app.anthropic.script(closeMidStream());
    const sent = message('anthropic/large', { stream: true, routing: { fallbacks: ['other/large'] } });
    const stream = await (await app.send(messages, sent)).text();
    expect(textsIn(stream, 'text')).toBe(whole);
    expect(stream).toContain('event: message_stop');
    expect(stream).not.toContain('event: error');
    expect(app.other.requests[0]?.json).toMatchObject({ model: 'large', stream: true });
  });

  it.each([
    ['writes another text', healthy({ text: 'Good evening.' })],
    ['fails', status(500)],
  ])('ends with the words of its vendor where the other model %s', async (_, reply) => {
    const app = await startForwardingApp();
    app.openai.script(errorEvent('Overloaded'));
    app.other.script(reply);
    const stream = await (await app.send(chats, streamed)).text();
    expect(stream).toMatch(/"error":.*Overloaded/);
    expect(stream.match(/"error"/g)).toHaveLength(1);
    expect(whole.startsWith(textsIn(stream, 'content'))).toBe(true);
    expect(stream).not.toContain('[DONE]');
  });

  it('ends with its failure where the budget is used up', async () => {
    const app = await startForwardingApp({ limits: { key: { budget: { usd: 0.001, period: 'day' } } } });
    app.openai.script(closeMidStream({ text: 'word '.repeat(400) }));
    const stream = await (await app.send(chats, streamed)).text();
    expect(stream).toContain('"code":"provider_bad_response"');
    expect(app.other.requests).toEqual([]);
  });

  it('closes the connection to the model that goes on when its client leaves', async () => {
    const app = await startForwardingApp();
    app.openai.script(closeMidStream());
    app.other.script(hangMidStream({}, 1));
    const leaving = new AbortController();
    const arrived = app.other.nextRequest();
    const response = await app.send(chats, streamed, { signal: leaving.signal });
    const read = response.text().catch(() => undefined);
    const request = await arrived;
    leaving.abort();
    await app.other.whenSocketsClosed();
    expect(request.aborted).toBe(true);
    await read;
  });
});

describe('a stream whose connection breaks behind its last event', () => {
  /** All of the response but the end of its chunks. */
  const unended =
    (instead: 'close' | 'wait'): ReturnType<typeof healthy> =>
    (exchange) =>
      healthy()({
        ...exchange,
        async write(data) {
          if (data !== '0\r\n\r\n') await exchange.write(data);
          else if (instead === 'close') exchange.socket.end();
        },
      });

  it.each([
    [chats, 'openai', question('openai/large', { stream: true }), 'data: [DONE]'],
    [messages, 'anthropic', message('anthropic/large', { stream: true }), 'event: message_stop'],
    [responses, 'openai', asked('openai/large', { stream: true }), 'event: response.completed'],
  ] as const)('is complete for %s', async (path, vendor, sent, end) => {
    const app = await startForwardingApp();
    app[vendor].script(unended('close'));
    const stream = await (await app.send(path, sent)).text();
    expect(stream).toContain(end);
    expect(stream).not.toMatch(/"error":\s*\{|event: error/);
    expect(await callsOf(app)).toMatchObject([{ totals: { modelCalls: 1, failures: 0 } }]);
  });

  it('is complete for a client that leaves as soon as it has that event', async () => {
    const app = await startForwardingApp();
    app.openai.script(unended('wait'));
    const client = new AbortController();
    const response = await app.send(chats, question('openai/large', { stream: true }), { signal: client.signal });
    const body = response.body?.pipeThrough(new TextDecoderStream())[Symbol.asyncIterator]();
    for (let seen = ''; !seen.includes('[DONE]'); ) seen += (await body?.next())?.value ?? '';
    client.abort();
    await app.openai.whenSocketsClosed();
    expect(await callsOf(app)).toMatchObject([{ totals: { modelCalls: 1, failures: 0 } }]);
  });
});

describe('a message that is complete but for its last event', () => {
  it('is complete, and its client receives the event', async () => {
    const app = await startForwardingApp();
    app.anthropic.script(upstreamReplies.noTerminator());
    const stream = await (await app.send(messages, message('anthropic/large', { stream: true }))).text();
    expect(textsIn(stream, 'text')).toBe(whole);
    expect(stream.match(/event: message_stop\ndata: {"type":"message_stop"}\n\n$/g)).toHaveLength(1);
    expect(stream).not.toContain('event: error');
  });
});
