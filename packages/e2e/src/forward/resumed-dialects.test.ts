import { upstreamReplies } from '@patchbay/testing';
import { describe, expect, it } from 'vitest';
import { asked, message, messages, responses, startForwardingApp } from './forwarding-app.ts';

const { closeMidStream, errorEvent, hangMidStream, healthy, malformedEvent } = upstreamReplies;
const text = 'Hello from the upstream.';

/** The documents of a stream, without `[DONE]`. */
const eventsOf = (stream: string) =>
  [...stream.matchAll(/^data: (\{.*)$/gm)].map(([, json = '']) => JSON.parse(json) as Record<string, unknown>);

const deltaText = (event: Record<string, unknown>): string => {
  const { type, delta } = event as { type?: string; delta?: string | { text?: string } };
  if (type === 'content_block_delta' && typeof delta === 'object') return delta.text ?? '';
  return type === 'response.output_text.delta' && typeof delta === 'string' ? delta : '';
};

describe.each([
  {
    path: messages,
    vendor: 'anthropic',
    other: 'other',
    ask: message,
    end: 'event: message_stop',
  },
  {
    path: responses,
    vendor: 'openai',
    other: 'anthropic',
    ask: asked,
    end: 'event: response.completed',
  },
] as const)('a stream of $path', ({ path, vendor, other, ask, end }) => {
  const streamed = (routing: object = {}) =>
    ask(`${vendor}/large`, { stream: true, routing: { fallbacks: [`${other}/large`], ...routing } });
  const whole = (stream: string) => eventsOf(stream).map(deltaText).join('');

  it.each([
    ['is cut', closeMidStream()],
    ['has a failure in the words of its vendor', errorEvent('Overloaded')],
    ['has a malformed event', malformedEvent()],
  ])('that %s is continued by another model', async (_, reply) => {
    const app = await startForwardingApp();
    app[vendor].script(reply);
    const stream = await (await app.send(path, streamed())).text();
    expect(whole(stream)).toBe(text);
    expect(stream).toMatch(new RegExp(`^: Patchbay-Route: .*resumed="${other}/large"`, 'm'));
    expect(stream).not.toMatch(/Overloaded|"error":\{|event: error/);
    expect(stream.split(end)).toHaveLength(2);
    const ids = [...stream.matchAll(/"id":"((?:chatcmpl|msg|resp)[-_]\w+)"/g)].map(([, id]) => id);
    expect(new Set(ids).size).toBe(path === responses ? 2 : 1);
  });

  it('ends with the words of its vendor where the other model says something else', async () => {
    const app = await startForwardingApp();
    app[vendor].script(errorEvent('Overloaded'));
    app[other].script(healthy({ text: 'Good morning.' }));
    const stream = await (await app.send(path, streamed())).text();
    expect(stream).toContain('Overloaded');
    expect(stream).not.toMatch(new RegExp(`${end}|Good morning`));
    expect(text.startsWith(whole(stream))).toBe(true);
    expect(app[other].requests).toHaveLength(1);
  });

  it('ends with the failure where the caller wants that', async () => {
    const app = await startForwardingApp();
    app[vendor].script(closeMidStream());
    const stream = await (await app.send(path, streamed({ onInterrupt: 'error' }))).text();
    expect(stream).not.toContain(end);
    expect(app[other].requests).toEqual([]);
  });

  it.each(['Patchbay-Route', 'upstream.'])(
    'leaves no connection open and no request in progress where its client leaves behind %s',
    async (last) => {
      const app = await startForwardingApp();
      app[vendor].script(closeMidStream());
      app[other].script(hangMidStream({}, 5));
      const client = new AbortController();
      const response = await app.send(path, streamed(), { signal: client.signal });
      const body = response.body?.pipeThrough(new TextDecoderStream())[Symbol.asyncIterator]();
      for (let seen = ''; !seen.includes(last); ) seen += (await body?.next())?.value ?? '';
      client.abort();
      await Promise.all([app[vendor].whenSocketsClosed(), app[other].whenSocketsClosed()]);
      expect(app[other].requests.map(({ aborted }) => aborted)).toEqual([true]);
      const metrics = (await app.test.app.host.metrics()).split('\n');
      const active = metrics.filter((line) => line.startsWith('patchbay_model_active{'));
      expect(active.length).toBeGreaterThan(0);
      expect(active.filter((line) => !line.endsWith(' 0'))).toEqual([]);
    },
  );
});

it('items of a response that another model continued can be named in the next request', async () => {
  const app = await startForwardingApp();
  const routing = { fallbacks: ['anthropic/large'] };
  app.openai.script(closeMidStream());
  const stream = await (await app.send(responses, asked('openai/large', { stream: true, routing }))).text();
  const { response } = eventsOf(stream).at(-1) as { response: { store: boolean; output: { id: string }[] } };
  // The vendor has not kept what it has not completed.
  expect(response.store).toBe(false);
  app.openai.script(healthy());
  const input = [
    { type: 'item_reference', id: response.output[0]?.id },
    { role: 'user', content: 'Go on.' },
  ];
  const next = await app.send(responses, { model: 'openai/large', input });
  expect(next.status).toBe(200);
  expect(app.openai.requests.at(-1)?.body).toContain(text);
  expect(app.openai.requests.at(-1)?.body).not.toContain('item_reference');
});
