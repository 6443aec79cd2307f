import { inspect } from 'node:util';
import { PatchbayError } from '@patchbay/contracts/errors';
import type { ChatDelta } from '@patchbay/contracts/provider';
import { providerError } from '@patchbay/contracts/provider-error';
import { describe, expect, it } from 'vitest';
import { createUpstreamClient, type StreamReader, type UpstreamEvent } from './upstream-client.ts';

const signal = new AbortController().signal;

function clientOf(answer: () => Response | Promise<Response>, secret?: string) {
  return createUpstreamClient({
    name: 'acme',
    fetch: async () => answer(),
    secrets: [secret, undefined, ''],
    readError: (document) => ({
      ...(document['long'] ? { kind: 'context_length' as const } : {}),
      retryAfter: document['wait'] as string | undefined,
    }),
  });
}

const url = 'http://acme.test';

async function failure(asked: Promise<unknown>): Promise<unknown> {
  return await asked.then(
    () => {
      throw new Error('expected a failure');
    },
    (error: unknown) => error,
  );
}

async function refusal(response: Response, secret?: string): Promise<PatchbayError> {
  const error = await failure(clientOf(() => response, secret).ask(url, {}, signal));
  if (PatchbayError.is(error)) return error;
  throw new Error(`not a PatchbayError: ${inspect(error)}`);
}

/** Finds no deltas. */
const noted = (events: UpstreamEvent[] = []): StreamReader => ({
  read(event) {
    events.push(event);
    return false;
  },
  end() {},
});

const saying: StreamReader = {
  read({ data }, deltas) {
    if (data) deltas.push({ type: 'text', text: String(data['text']) });
    return !data;
  },
  end: (deltas) => void deltas.push({ type: 'text', text: 'over' }),
};

describe('createUpstreamClient', () => {
  it('an error status becomes an error with the details of the vendor', async () => {
    const error = await refusal(new Response('{}', { status: 503, headers: { 'x-request-id': 'req_1' } }));
    expect(error).toMatchObject({
      code: 'provider_error',
      message: 'acme answered 503',
      upstream: { kind: 'failed', status: 503, requestId: 'req_1' },
    });
    expect(await refusal(Response.json({ long: true }, { status: 400 }))).toMatchObject({
      code: 'context_length_exceeded',
      message: 'the request is longer than the context of the model at acme',
    });
  });

  it('the time to wait comes from the header, or else from the document', async () => {
    const wait = async (headers: Record<string, string>, body = {}) =>
      (await refusal(Response.json(body, { status: 429, headers }))).retryAfter;
    expect(await wait({ 'retry-after-ms': '1500', 'retry-after': '9' })).toBe(2);
    expect(await wait({ 'retry-after': '9' }, { wait: '4' })).toBe(9);
    expect(await wait({}, { wait: '4' })).toBe(4);
    expect(await wait({ 'retry-after-ms': '-5' })).toBe(1);
  });

  it('the text of the upstream is kept for the log, without the key', async () => {
    const error = await refusal(new Response('The key secret-1 is bad, secret-1!', { status: 401 }), 'secret-1');
    expect(error.message).toBe('acme answered 401');
    expect(error.cause).toMatchObject({ message: 'The key [redacted] is bad, [redacted]!' });
  });

  it('a document is posted with the headers of the provider', async () => {
    let sent: Parameters<typeof fetch> | undefined;
    const client = createUpstreamClient({
      name: 'acme',
      async fetch(...call) {
        sent = call;
        return Response.json({ ok: true });
      },
      headers: { authorization: 'Bearer key' },
      secrets: [],
      readError: () => ({}),
    });
    expect(await client.ask(url, { a: [1] }, signal)).toEqual({ ok: true });
    const headers = {
      accept: 'application/json',
      'content-type': 'application/json',
      'user-agent': 'patchbay',
      authorization: 'Bearer key',
    };
    expect(sent).toEqual([url, { method: 'POST', headers, body: '{"a":[1]}', signal }]);
  });

  it('errors of the transport are passed on', async () => {
    const own = providerError('timeout', 'the upstream was silent');
    const client = clientOf(() => Promise.reject(own));
    expect(await failure(client.ask(url, {}, signal))).toBe(own);
    expect(await failure(client.stream(url, {}, signal, noted()).next())).toBe(own);
  });

  it('the reason of the signal takes precedence over every other error', async () => {
    const controller = new AbortController();
    const reason = new Error('left');
    let asked = 0;
    const client = clientOf(() => {
      asked += 1;
      controller.abort(reason);
      throw new Error('AbortError');
    });
    expect(await failure(client.ask(url, {}, controller.signal))).toBe(reason);
    expect(await failure(client.ask(url, {}, controller.signal))).toBe(reason);
    expect(await failure(client.stream(url, {}, controller.signal, noted()).next())).toBe(reason);
    expect(asked).toBe(1);
  });

  it('any other error counts as unreachable', async () => {
    const client = clientOf(() => Promise.reject(new TypeError('bad header secret-1')), 'secret-1');
    const error = await failure(client.ask(url, {}, signal));
    expect(error).toMatchObject({ code: 'provider_error', message: 'acme could not be reached' });
    expect((error as Error).cause).toMatchObject({ message: 'TypeError: bad header [redacted]' });
  });

  it.each(['<p>', '', '[]', '7', 'null', '{"a":'])('%j is not a valid response', async (body) => {
    expect(await refusal(new Response(body))).toMatchObject({ code: 'provider_bad_response' });
  });

  it('events are read, and an abort is noticed if the body ends quietly', async () => {
    const controller = new AbortController();
    const left = new Error('left');
    const body = 'event: a\ndata: {"n":1}\n\ndata: [DONE]\n\n';
    const response = () => new Response(body, { headers: { 'content-type': 'text/event-stream; charset=utf-8' } });
    const client = clientOf(response);
    const events: UpstreamEvent[] = [];
    for await (const _ of client.stream(url, {}, signal, noted(events)));
    expect(events).toEqual([
      { name: 'a', data: { n: 1 } },
      { name: undefined, data: undefined },
    ]);
    const aborted = async () => {
      const read: StreamReader['read'] = ({ data }) => {
        if (data) controller.abort(left);
        return false;
      };
      for await (const _ of client.stream(url, {}, controller.signal, { read, end() {} }));
    };
    await expect(aborted()).rejects.toBe(left);
  });

  it('deltas that arrive together are yielded together, also those before a failure', async () => {
    const body = 'data: {"text":"a"}\n\ndata: {"text":"b"}\n\ndata: <p>\n\ndata: {"text":"c"}\n\n';
    const client = clientOf(() => new Response(body, { headers: { 'content-type': 'text/event-stream' } }));
    const lists: (readonly ChatDelta[])[] = [];
    const read = async () => {
      for await (const list of client.stream(url, {}, signal, saying)) lists.push(list);
    };
    await expect(read()).rejects.toMatchObject({ code: 'provider_bad_response' });
    expect(lists).toEqual([
      [
        { type: 'text', text: 'a' },
        { type: 'text', text: 'b' },
      ],
    ]);
  });

  it('what follows the last event is not read', async () => {
    const body = 'data: {"text":"a"}\n\ndata: [DONE]\n\ndata: <p>\n\n';
    const client = clientOf(() => new Response(body, { headers: { 'content-type': 'text/event-stream' } }));
    const lists: (readonly ChatDelta[])[] = [];
    for await (const list of client.stream(url, {}, signal, saying)) lists.push(list);
    expect(lists).toEqual([
      [
        { type: 'text', text: 'a' },
        { type: 'text', text: 'over' },
      ],
    ]);
  });

  it('a body that is not an event stream is refused and cancelled', async () => {
    let cancelled = false;
    const body = new ReadableStream({
      cancel() {
        cancelled = true;
      },
    });
    const client = clientOf(() => new Response(body, { headers: { 'content-type': 'application/json' } }));
    const error = await failure(client.stream(url, {}, signal, noted()).next());
    expect(error).toMatchObject({
      code: 'provider_bad_response',
      message: 'the answer of acme is no stream of events',
    });
    expect(cancelled).toBe(true);
  });

  it('a failure within a stream is named', () => {
    expect(clientOf(() => new Response()).streamError({ error: 'x' })).toMatchObject({
      code: 'provider_error',
      message: 'acme failed during the stream',
    });
  });
});

it('a key that no header can have is refused at once, and not repeated', () => {
  const key = 'sk-first\nsk-second';
  const headers = { authorization: `Bearer ${key}` };
  const options = { name: 'acme', fetch, headers, secrets: [key], readError: () => ({}) };
  expect(() => createUpstreamClient(options)).toThrow(
    'acme cannot be used: the header authorization contains a line break, or another character that headers cannot have; check its key',
  );
});
