import { describe, expect, it } from 'vitest';
import { createTestApp, sample, tokenOf } from '../fixtures/test-app.ts';
import { createFetchHandler } from './fetch-handler.ts';
import { FetchRequest } from './fetch-request.ts';

const bytes = (text: string) => new TextEncoder().encode(text);
const requestOf = (body: ReadableStream | null, method = 'POST') =>
  new FetchRequest(new Request('http://localhost/', { method, body, duplex: 'half' } as RequestInit));
const textOf = (body: object) => ('bytes' in body ? Buffer.from(body.bytes as Uint8Array).toString() : undefined);

describe('the body of a FetchRequest', () => {
  it.each([
    ['no stream', null],
    ['a stream without anything in it', []],
    ['empty pieces', ['', '']],
  ])('is none with %s', async (_, pieces) => {
    const request = requestOf(pieces && ReadableStream.from(pieces.map(bytes)));
    expect(await request.hasBody()).toBe(false);
    expect(textOf(await request.readBody(10))).toBe('');
  });

  it('is whole, whether or not it was looked for before', async () => {
    const pieces = ['', 'ab', '', 'c'].map(bytes);
    const asked = requestOf(ReadableStream.from(pieces));
    expect(await asked.hasBody()).toBe(true);
    expect(await asked.hasBody()).toBe(true);
    expect(textOf(await asked.readBody(3))).toBe('abc');
    expect(textOf(await requestOf(ReadableStream.from(pieces)).readBody(3))).toBe('abc');
  });

  it('is read no further than it may be long', async () => {
    let cancelled = false;
    const endless = new ReadableStream({
      pull: (controller) => controller.enqueue(bytes('abc')),
      cancel: () => {
        cancelled = true;
      },
    });
    await expect(requestOf(endless).readBody(10)).rejects.toMatchObject({ code: 'body_too_large' });
    expect(cancelled).toBe(true);
  });

  it.each(['hasBody', 'readBody'] as const)('that breaks off is the doing of the client: %s', async (method) => {
    const broken = new ReadableStream({ pull: (controller) => controller.error(new Error('reset')) });
    await expect(requestOf(broken)[method](10)).rejects.toMatchObject({ code: 'client_closed_request' });
  });

  it('is not missed, or found, where a host hands over an empty stream', async () => {
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
