import { inspect } from 'node:util';
import { describe, expect, it } from 'vitest';
import { PatchbayError } from '../contracts/errors.ts';
import { providerError } from '../contracts/provider-error.ts';
import { createUpstreamClient } from './upstream-client.ts';

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

async function refusal(response: Response, secret?: string): Promise<PatchbayError> {
  const client = clientOf(() => response, secret);
  const error: unknown = await client.open(() => client.fetch('http://acme.test'), signal).catch((thrown) => thrown);
  if (PatchbayError.is(error)) return error;
  throw new Error(`not a PatchbayError: ${inspect(error)}`);
}

describe('createUpstreamClient', () => {
  it('makes an error of a status, with what the vendor says of it', async () => {
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

  it('waits as long as the header says, else as the document says', async () => {
    const wait = async (headers: Record<string, string>, body = {}) =>
      (await refusal(Response.json(body, { status: 429, headers }))).retryAfter;
    expect(await wait({ 'retry-after-ms': '1500', 'retry-after': '9' })).toBe(2);
    expect(await wait({ 'retry-after': '9' }, { wait: '4' })).toBe(9);
    expect(await wait({}, { wait: '4' })).toBe(4);
    expect(await wait({ 'retry-after-ms': '-5' })).toBe(1);
  });

  it('keeps the words of the upstream for the log, without the key', async () => {
    const error = await refusal(new Response('The key secret-1 is bad, secret-1!', { status: 401 }), 'secret-1');
    expect(error.message).toBe('acme answered 401');
    expect(error.cause).toMatchObject({ message: 'The key [redacted] is bad, [redacted]!' });
  });

  it('gets its own errors out of what an SDK made of them', async () => {
    const own = providerError('timeout', 'the upstream timed out');
    const client = clientOf(() => Promise.reject(own));
    const sdk = async () => {
      try {
        return await client.fetch('http://acme.test');
      } catch (cause) {
        // As the SDKs do it: whatever looks like a timeout loses its cause.
        const text = String(cause) + String((cause as Error).cause);
        throw /timed? ?out|abort/i.test(text) ? new Error('SDK timeout') : new Error('SDK error', { cause });
      }
    };
    await expect(client.open(sdk, signal)).rejects.toBe(own);
  });

  it('throws the reason of the signal, whatever the SDK says', async () => {
    const controller = new AbortController();
    const reason = new Error('left');
    const client = clientOf(() => {
      controller.abort(reason);
      throw new Error('AbortError');
    });
    await expect(client.open(() => client.fetch('http://acme.test'), controller.signal)).rejects.toBe(reason);
    let asked = false;
    const send = async () => {
      asked = true;
      return new Response();
    };
    await expect(client.open(send, controller.signal)).rejects.toBe(reason);
    expect(asked).toBe(false);
  });

  it('takes everything else that an SDK throws for a failure to ask', async () => {
    const client = clientOf(() => new Response(), 'secret-1');
    const error: unknown = await client
      .open(() => Promise.reject(new TypeError('bad header secret-1')), signal)
      .catch((thrown) => thrown);
    expect(error).toMatchObject({ code: 'provider_error', message: 'acme could not be asked' });
    expect((error as Error).cause).toMatchObject({ message: 'TypeError: bad header [redacted]' });
  });

  it.each(['<p>', '', '[]', '7', 'null', '{"a":'])('takes %j for no answer', async (body) => {
    await expect(clientOf(() => new Response()).readJson(new Response(body), signal)).rejects.toMatchObject({
      code: 'provider_bad_response',
    });
  });

  it('reads events, and stops for an end that is quiet because of an abort', async () => {
    const controller = new AbortController();
    const left = new Error('left');
    const body = 'event: a\ndata: {"n":1}\n\ndata: [DONE]\n\n';
    const response = () => new Response(body, { headers: { 'content-type': 'text/event-stream; charset=utf-8' } });
    const client = clientOf(response);
    const events = [];
    for await (const event of client.readEvents(response(), signal)) events.push(event);
    expect(events).toEqual([
      { name: 'a', data: { n: 1 } },
      { name: undefined, data: undefined },
    ]);
    const aborted = async () => {
      for await (const event of client.readEvents(response(), controller.signal))
        if (event.data) controller.abort(left);
    };
    await expect(aborted()).rejects.toBe(left);
  });

  it('names a failure within a stream', () => {
    expect(clientOf(() => new Response()).streamError({ error: 'x' })).toMatchObject({
      code: 'provider_error',
      message: 'acme failed within its stream',
    });
  });
});
