import { getCACertificates, setDefaultCACertificates } from 'node:tls';
import { createTransport } from '@patchbay/core';
import { afterEach, describe, expect, it, onTestFinished } from 'vitest';
import type { Reply } from '../exchange.ts';
import { upstreamReplies as replies } from '../upstream-replies.ts';
import { chat, rejection, transportTests } from './fixtures/transport-under-test.ts';

const partOfHead: Reply = async (exchange) => {
  await exchange.write('HTTP/1.1 200');
  exchange.socket.end();
};

describe('fetch of a transport', () => {
  const start = transportTests(afterEach);

  it('sends what it was given and answers like the fetch of the platform', async () => {
    const { upstream, post } = await start();
    upstream.script(replies.body('{"ok":"grüß"}', { status: 418, headers: { 'x-two': 'a, b' } }));
    const ours = await post();
    const theirs = await fetch(ours.url, { method: 'POST' });
    expect(ours).toMatchObject({
      status: 418,
      ok: false,
      statusText: theirs.statusText,
      url: theirs.url,
      type: 'basic',
    });
    expect([...ours.headers]).toEqual([...theirs.headers]);
    expect(await ours.json()).toEqual(await theirs.json());
    expect(upstream.requests[0]).toMatchObject({
      method: 'POST',
      path: '/v1/chat/completions',
      body: chat({ stream: false }),
      headers: { authorization: 'Bearer secret-key', 'content-type': 'application/json' },
    });
  });

  it('accepts bytes, a URL and a Request', async () => {
    const { upstream, transport } = await start();
    upstream.script(replies.body('{}'));
    const send = transport.createFetch({ baseUrl: upstream.baseUrl });
    const bytes = new TextEncoder().encode('byte');
    await send(new URL(`${upstream.url}/a?b=c`), { method: 'put', body: bytes });
    await send(new Request(`${upstream.url}/d`, { method: 'POST', body: 'text', headers: { 'x-from': 'request' } }));
    await send(`${upstream.url}/e`, { method: 'POST', body: bytes.buffer });
    expect(upstream.requests.map(({ method, path, body }) => [method, path, body])).toEqual([
      ['PUT', '/a?b=c', 'byte'],
      ['POST', '/d', 'text'],
      ['POST', '/e', 'byte'],
    ]);
    expect(upstream.requests[1]?.headers['x-from']).toBe('request');
    await expect(send(upstream.url, { method: 'POST', body: new FormData() })).rejects.toThrow(TypeError);
    await expect(send(upstream.url, { headers: { authorization: 'a\nb' } })).rejects.toThrow(TypeError);
    expect(upstream.requests).toHaveLength(3);
  });

  it('refuses headers of the connection from a caller', async () => {
    const { upstream, post } = await start();
    await post({ headers: { authorization: 'Bearer key', host: 'evil.example', 'Accept-Encoding': 'gzip' } });
    expect(upstream.requests[0]?.headers).toMatchObject({
      host: new URL(upstream.url).host,
      'accept-encoding': 'identity',
    });
  });

  it('reuses connections, one call at a time on each', async () => {
    const { upstream, post } = await start();
    for (let call = 0; call < 50; call += 1) await (await post()).json();
    expect(upstream.connections).toBe(1);
    await Promise.all(Array.from({ length: 8 }, async () => (await post()).text()));
    expect(upstream.connections).toBe(8);
    for (let call = 0; call < 50; call += 1) await (await post({ body: chat({ stream: true }) })).text();
    expect(upstream.connections).toBe(8);
  });

  it('pools at most 256 idle connections', async () => {
    const { upstream, post } = await start();
    const calls = Array.from({ length: 300 }, async () => (await (await post()).json()) as object);
    for (const answer of await Promise.all(calls)) expect(answer).toHaveProperty('choices');
    expect(upstream.connections).toBe(300);
    await expect.poll(() => upstream.openSockets()).toBe(256);
  });

  it('connects again where the upstream closed a connection that was kept', async () => {
    const { upstream, post } = await start();
    upstream.script(async (exchange) => {
      await replies.body('{}')(exchange);
      exchange.socket.end();
    }, replies.healthy());
    await (await post()).json();
    await upstream.whenSocketsClosed();
    expect((await post()).status).toBe(200);
    expect(upstream.requests.map(({ connection }) => connection)).toEqual([1, 2]);
  });

  it.each([
    ['closes', replies.close(), undefined],
    ['resets', replies.reset(), undefined],
    ['closes by TLS', replies.close(), 'self-signed'],
  ] as const)(
    'sends a request once more where the upstream %s a kept connection as it arrives',
    async (_, ended, tls) => {
      const { upstream, post } = await start(tls && { tls });
      const authorities = getCACertificates('default');
      if (upstream.certificate) setDefaultCACertificates([upstream.certificate]);
      onTestFinished(() => setDefaultCACertificates(authorities));
      // Both connections are as old as each other, so the second attempt must not take the other one.
      await Promise.all([post(), post()].map(async (each) => (await each).json()));
      upstream.script(ended, replies.healthy());
      expect(await (await post({ body: chat({ stream: false }) })).json()).toHaveProperty('choices');
      const [, , first, second] = upstream.requests;
      expect(second).toMatchObject({ connection: 3, body: chat({ stream: false }) });
      expect(second?.headers).toEqual(first?.headers);
      expect(upstream.requests).toHaveLength(4);
    },
  );

  it.each([
    ['that is new', [replies.close()], [1]],
    ['twice', [replies.healthy(), replies.close(), replies.close()], [1, 1, 2]],
    ['after the first bytes of a response', [replies.healthy(), partOfHead], [1, 1]],
  ])('fails where the upstream closes a connection %s', async (_, script, connections) => {
    const { upstream, post } = await start();
    upstream.script(...script);
    for (let answered = 1; answered < Math.min(script.length, 2); answered += 1) await (await post()).json();
    expect(await rejection(post())).toMatchObject({ upstream: { kind: 'unreachable' } });
    expect(upstream.requests.map(({ connection }) => connection)).toEqual(connections);
  });

  it('opens no connection to another origin', async () => {
    const { upstream, transport } = await start();
    const elsewhere = await start();
    const send = transport.createFetch({ baseUrl: upstream.baseUrl });
    const others = [
      elsewhere.upstream.url,
      upstream.url.replace('127.0.0.1', 'localhost'),
      upstream.url.replace('http:', 'https:'),
      upstream.url + elsewhere.upstream.url.replace('http://', '@'),
      'file:///etc/hostname',
    ];
    for (const other of others) {
      const error = await rejection(send(other, { method: 'POST', body: 'secret prompt' }));
      expect(error).toMatchObject({ code: 'provider_error', upstream: { kind: 'unreachable' } });
    }
    expect([upstream.connections, elsewhere.upstream.connections]).toEqual([0, 0]);
  });

  it('refuses a base URL that is none', () => {
    for (const baseUrl of ['', 'api.example', 'ftp://api.example']) {
      expect(() => createTransport().createFetch({ baseUrl })).toThrow('baseUrl');
    }
  });

  it('ends calls and connections when it is stopped', async () => {
    const { upstream, transport, post } = await start();
    await (await post()).json();
    upstream.script(replies.hang());
    const arrived = upstream.nextRequest();
    const error = rejection(post());
    await arrived;
    await transport.stop();
    expect(await error).toMatchObject({ code: 'shutting_down' });
    await upstream.whenSocketsClosed();
    expect(await rejection(post())).toMatchObject({ code: 'shutting_down' });
    expect(upstream.connections).toBe(1);
  });
});

describe('the answer of a transport', () => {
  const start = transportTests(afterEach);

  it('supports every way to read its body', async () => {
    const { upstream, post } = await start();
    upstream.script(replies.body('\uFEFF{"a":1}'));
    expect(await (await post()).json()).toEqual({ a: 1 });
    expect(await (await post()).text()).toBe('{"a":1}');
    expect((await (await post()).arrayBuffer()).byteLength).toBe(10);
    expect(await (await post()).blob()).toMatchObject({ size: 10, type: 'application/json' });
    upstream.script(replies.body('a=1&b=2', { contentType: 'application/x-www-form-urlencoded' }));
    expect([...(await (await post()).formData())]).toEqual([
      ['a', '1'],
      ['b', '2'],
    ]);
  });

  it('allows one read of its body', async () => {
    const { post } = await start();
    const response = await post();
    expect(response.bodyUsed).toBe(false);
    await response.text();
    expect(response.bodyUsed).toBe(true);
    await expect(response.json()).rejects.toThrow(TypeError);
    expect(() => response.clone()).toThrow(TypeError);
  });

  it('clones', async () => {
    const { post } = await start();
    const response = await post();
    const copy = response.clone();
    expect(copy).toMatchObject({ status: 200, url: response.url });
    expect(await copy.text()).toBe(await response.text());
  });

  it('with status 204 has no body', async () => {
    const { upstream, post } = await start();
    upstream.script(replies.noContent());
    const response = await post();
    expect([response.status, response.body, await response.text()]).toEqual([204, null, '']);
  });

  it('arrives piece by piece, also for a slow reader', async () => {
    const { upstream, post } = await start();
    const bytes = 4 * 1024 * 1024;
    upstream.script(replies.largeChunkedBody(bytes));
    let received = 0;
    for await (const piece of (await post()).body ?? []) {
      received += piece.byteLength;
      await new Promise(setImmediate);
    }
    expect(received).toBe(bytes);
    expect((await (await post()).text()).length).toBe(bytes);
    expect(upstream.connections).toBe(1);
  });

  it('closes the connection where its reader leaves early', async () => {
    const { upstream, post } = await start();
    upstream.script(replies.hangMidStream());
    const response = await post({ body: chat({ stream: true }) });
    for await (const _ of response.body ?? []) break;
    await upstream.whenSocketsClosed();
    expect(upstream.requests[0]?.aborted).toBe(true);

    upstream.script(replies.hangMidBody());
    await (await post()).body?.cancel();
    await upstream.whenSocketsClosed();
  });
});
