import { getCACertificates, setDefaultCACertificates } from 'node:tls';
import { afterEach, describe, expect, it } from 'vitest';
import type { Reply } from '../exchange.ts';
import { upstreamReplies as replies } from '../upstream-replies.ts';
import { chat, rejection, transportTests } from './fixtures/transport-under-test.ts';

const MEGABYTE = 1_000_000;

const faults: readonly (readonly [name: string, kind: string, reply: Reply])[] = [
  ['reset before headers', 'unreachable', replies.reset()],
  ['closed before headers', 'unreachable', replies.close()],
  ['not HTTP', 'bad_response', replies.notHttp()],
  ['20 KB header', 'bad_response', replies.hugeHeader(20_000)],
  ['1,000 headers', 'bad_response', replies.manyHeaders(1_000)],
  ['150 headers', 'bad_response', replies.manyHeaders(150)],
  ['gzip bomb', 'bad_response', replies.gzipBomb(300 * MEGABYTE)],
  ['body that is packed', 'bad_response', replies.packed()],
  ['body too large', 'bad_response', replies.largeBody(50 * MEGABYTE)],
  ['body too large, in chunks', 'bad_response', replies.largeChunkedBody(50 * MEGABYTE)],
  ['close within the body', 'bad_response', replies.closeMidBody()],
  ['reset within the body', 'bad_response', replies.resetMidBody()],
  ['body shorter than its length', 'bad_response', replies.tooShort()],
  ['garbage instead of a chunk', 'bad_response', replies.chunkGarbage()],
  ['page instead of JSON', 'bad_response', replies.html()],
  ['truncated JSON', 'bad_response', replies.truncatedJson()],
  ['no JSON at all', 'bad_response', replies.body('')],
  ['body longer than its length', 'bad_response', replies.tooLong()],
  ['redirect within the origin', 'redirect', replies.redirect('/v1/other')],
  ...[300, 301, 302, 303, 304, 308].map((status) => [`${status}`, 'redirect', replies.redirect('/', status)] as const),
];

describe('a fault of the upstream', () => {
  const start = transportTests(afterEach);

  it.each(faults)('%s is %s', async (_, kind, reply) => {
    const { upstream, post } = await start();
    upstream.script(reply);
    const error = await rejection(post().then((response) => response.json()));
    expect(error).toMatchObject({ name: 'PatchbayError', upstream: { kind } });
    expect(String(error)).not.toContain('secret');

    upstream.script();
    expect((await post()).status).toBe(200);
  });

  it.each([
    ['close', replies.closeMidStream()],
    ['an endless line', replies.longLine(50 * MEGABYTE)],
  ])('%s within a stream is bad_response', async (_, reply) => {
    const { upstream, post } = await start();
    upstream.script(reply);
    const response = await post({ body: chat({ stream: true }) });
    const read = async () => {
      let bytes = 0;
      for await (const piece of response.body ?? []) bytes += piece.byteLength;
      return bytes;
    };
    expect(await rejection(read())).toMatchObject({ upstream: { kind: 'bad_response' } });
    await upstream.whenSocketsClosed();
  });

  it('leaves what came before it to the reader of a stream', async () => {
    const { upstream, post } = await start();
    upstream.script(replies.closeMidStream());
    const response = await post({ body: chat({ stream: true }) });
    await upstream.whenSocketsClosed();
    let text = '';
    const read = async () => {
      for await (const piece of response.body ?? []) text += Buffer.from(piece).toString();
    };
    await rejection(read());
    expect(text).toContain('Hello');
    expect(text).not.toContain('[DONE]');
  });

  it.each([307, 308, 302])('sends neither key nor prompt to the target of a %i', async (status) => {
    const { upstream, post } = await start();
    const target = await start();
    upstream.script(replies.redirect(`${target.upstream.url}/v1/chat/completions`, status));
    const error = await rejection(post());
    expect(error).toMatchObject({ upstream: { kind: 'redirect', status } });
    await upstream.whenSocketsClosed();
    expect([upstream.requests.length, target.upstream.connections]).toEqual([1, 0]);
  });

  it('leaves statuses to the adapter', async () => {
    const { upstream, post } = await start();
    for (const code of [400, 401, 404, 429, 500, 529]) {
      upstream.script(replies.status(code, { retryAfter: '3' }));
      const response = await post();
      expect([response.status, response.ok, response.headers.get('retry-after')]).toEqual([code, false, '3']);
      expect(await response.json()).toHaveProperty('error');
    }
    expect(upstream.connections).toBe(1);
  });

  it('fails as unreachable where no server listens or the name does not exist', async () => {
    const { upstream, transport, post } = await start();
    await upstream.stop();
    const error = await rejection(post());
    expect(error).toMatchObject({ upstream: { kind: 'unreachable' }, cause: { code: 'ECONNREFUSED' } });

    const send = transport.createFetch({ baseUrl: 'http://upstream.invalid' });
    expect(await rejection(send('http://upstream.invalid/v1'))).toMatchObject({ upstream: { kind: 'unreachable' } });
  });

  it('fails as unreachable where the certificate is not trusted or belongs to another host', async () => {
    const trusted = await start({ tls: 'self-signed' });
    expect(await rejection(trusted.post())).toMatchObject({
      upstream: { kind: 'unreachable' },
      cause: { code: 'DEPTH_ZERO_SELF_SIGNED_CERT' },
    });
    expect(trusted.upstream.requests).toHaveLength(0);

    const wrongHost = await start({ tls: 'wrong-host' });
    const authorities = getCACertificates('default');
    setDefaultCACertificates([trusted.upstream.certificate ?? '', wrongHost.upstream.certificate ?? '']);
    try {
      expect(await (await trusted.post()).json()).toHaveProperty('choices');
      expect(await rejection(wrongHost.post())).toMatchObject({
        upstream: { kind: 'unreachable' },
        cause: { code: 'ERR_TLS_CERT_ALTNAME_INVALID' },
      });
      expect(wrongHost.upstream.requests).toHaveLength(0);
    } finally {
      setDefaultCACertificates(authorities);
    }
  });
});
