import { once } from 'node:events';
import { describe, expect, it } from 'vitest';
import { createFetchHandler, FetchRequest, toResponse } from './fetch-handler.ts';
import { createTestApp, sample, tokenOf } from './fixtures/test-app.ts';

const bytes = (text: string) => new TextEncoder().encode(text);
const requestOf = (body: ReadableStream | null, method = 'POST') =>
  new FetchRequest(new Request('http://localhost/', { method, body, duplex: 'half' } as RequestInit));
const textOf = (body: object) => ('bytes' in body ? Buffer.from(body.bytes as Uint8Array).toString() : undefined);

describe('the body of a FetchRequest', () => {
  it.each([
    ['no stream', null],
    ['an empty stream', []],
    ['empty pieces', ['', '']],
  ])('counts as absent with %s', async (_, pieces) => {
    const request = requestOf(pieces && ReadableStream.from(pieces.map(bytes)));
    expect(await request.hasBody()).toBe(false);
    expect(textOf(await request.readBody(10, () => {}))).toBe('');
  });

  it('a body is complete whether or not hasBody was called before', async () => {
    const pieces = ['', 'ab', '', 'c'].map(bytes);
    const asked = requestOf(ReadableStream.from(pieces));
    expect(await asked.hasBody()).toBe(true);
    expect(await asked.hasBody()).toBe(true);
    expect(textOf(await asked.readBody(3, () => {}))).toBe('abc');
    expect(textOf(await requestOf(ReadableStream.from(pieces)).readBody(3, () => {}))).toBe('abc');
  });

  it('a body is read no further than its limit', async () => {
    let cancelled = false;
    const endless = new ReadableStream({
      pull: (controller) => controller.enqueue(bytes('abc')),
      cancel: () => {
        cancelled = true;
      },
    });
    await expect(requestOf(endless).readBody(10, () => {})).rejects.toMatchObject({ code: 'body_too_large' });
    expect(cancelled).toBe(true);
  });

  it.each(['hasBody', 'readBody'] as const)('that breaks off is blamed on the client: %s', async (method) => {
    const broken = new ReadableStream({ pull: (controller) => controller.error(new Error('reset')) });
    await expect(requestOf(broken)[method](10, () => {})).rejects.toMatchObject({ code: 'client_closed_request' });
  });

  it('counts as absent when the host passes an empty stream', async () => {
    const { app } = await createTestApp();
    const handler = createFetchHandler(app);
    const send = async (method: string, path: string, body: ReadableStream, headers = {}) => {
      const authorization = `Bearer ${tokenOf('admin')}`;
      const init = { method, body, duplex: 'half', headers: { authorization, ...headers } } as RequestInit;
      return await handler(new Request(`http://localhost${path}`, init));
    };
    const json = { 'content-type': 'application/json' };
    const created = await send('POST', '/functions', ReadableStream.from([bytes(JSON.stringify(sample))]), json);
    const path = created.headers.get('location') ?? '';
    const empty = () => ReadableStream.from([]);
    expect((await send('POST', `${path}/versions/1/restore`, empty())).status).toBe(200);
    expect((await send('DELETE', path, ReadableStream.from([bytes('{}')]))).status).toBe(400);
    expect((await send('DELETE', path, empty())).status).toBe(200);
    await app.host.stop(0);
  });
});

const replyOf = (body: string | AsyncIterable<string> | undefined) => ({
  status: 200,
  headers: {},
  body,
  close: false,
});

describe('toResponse', () => {
  it('sets the length in bytes, even for HEAD', async () => {
    const answer = toResponse(replyOf('äöü'), 'GET', () => {});
    expect([answer.headers.get('content-length'), await answer.text()]).toEqual(['6', 'äöü']);
    const head = toResponse(replyOf('äöü'), 'HEAD', () => {});
    expect([head.headers.get('content-length'), await head.text()]).toEqual(['6', '']);
  });

  it('a stream produces a piece only when the client reads', async () => {
    let made = 0;
    const endless = async function* () {
      for (;;) yield `data: ${++made}\n\n`;
    };
    const reader = toResponse(replyOf(endless()), 'GET', () => {}).body?.getReader();
    expect(made).toBe(0);
    for (const expected of [1, 2]) {
      const { value } = (await reader?.read()) ?? {};
      expect([new TextDecoder().decode(value), made]).toEqual([`data: ${expected}\n\n`, expected]);
    }
    await reader?.cancel();
  });

  it('a cancelled stream ends a source that waits for its next piece', async () => {
    const left = new AbortController();
    const ended = Promise.withResolvers<void>();
    const waiting = async function* () {
      try {
        yield 'data: 1\n\n';
        await once(left.signal, 'abort');
        yield 'data: 2\n\n';
      } finally {
        ended.resolve();
      }
    };
    const reader = toResponse(replyOf(waiting()), 'GET', () => left.abort()).body?.getReader();
    await reader?.read();
    const next = reader?.read();
    await reader?.cancel();
    expect((await next)?.done).toBe(true);
    await ended.promise;
  });

  it('a stream fails if its source fails, so that half is not mistaken for the whole', async () => {
    const broken = async function* () {
      yield 'data: 1\n\n';
      throw new Error('broken source');
    };
    await expect(toResponse(replyOf(broken()), 'GET', () => {}).text()).rejects.toThrow('broken source');
  });
});
