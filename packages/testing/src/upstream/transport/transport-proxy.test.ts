import { getCACertificates, setDefaultCACertificates } from 'node:tls';
import { createTransport } from '@patchbay/core';
import type { TransportOptions } from '@patchbay/core/provider';
import { afterEach, describe, expect, it } from 'vitest';
import { startUpstream, type UpstreamOptions } from '../start-upstream.ts';
import { upstreamReplies as replies } from '../upstream-replies.ts';
import { type ForwardProxyOptions, startForwardProxy } from './fixtures/start-forward-proxy.ts';
import { chat, rejection } from './fixtures/transport-under-test.ts';

const authorities = getCACertificates('default');
const stops: (() => Promise<void>)[] = [];

afterEach(async () => {
  setDefaultCACertificates(authorities);
  for (const stop of stops.splice(0)) await stop();
});

interface Given extends ForwardProxyOptions {
  readonly tls?: UpstreamOptions['tls'] | 'none';
  /** As it stands in the URL of the proxy. */
  readonly userinfo?: string;
  /** Host in the base URL, in place of the address. */
  readonly host?: string;
}

/** A transport whose only way to its upstream is a proxy. */
async function start({ tls = 'self-signed', userinfo, host, ...options }: Given = {}) {
  const upstream = await startUpstream({ dialect: 'openai', ...(tls !== 'none' && { tls }) });
  if (upstream.certificate) setDefaultCACertificates([upstream.certificate]);
  const proxy = await startForwardProxy({ ...options, ...(host && { destination: new URL(upstream.url).host }) });
  const url = new URL(proxy.url);
  const [username = '', password = ''] = userinfo?.split(':') ?? [];
  Object.assign(url, { username, password });
  const transport = createTransport({ proxyFor: () => url });
  stops.push(
    () => transport.stop(),
    () => proxy.stop(),
    () => upstream.stop(),
  );
  const baseUrl = host ? upstream.baseUrl.replace('127.0.0.1', host) : upstream.baseUrl;
  const fetchWith = (limits: Partial<TransportOptions> = {}) => transport.createFetch({ baseUrl, ...limits });
  const plain = fetchWith();
  return {
    upstream,
    proxy,
    post: (init: RequestInit = {}, limits?: Partial<TransportOptions>) =>
      (limits ? fetchWith(limits) : plain)(`${baseUrl}/chat/completions`, {
        method: 'POST',
        headers: { authorization: 'Bearer secret-key', 'content-type': 'application/json' },
        body: chat({ stream: false }),
        ...init,
      }),
  };
}

describe('a call through a forward proxy', () => {
  it('reaches an https upstream by CONNECT, over one tunnel for many calls', async () => {
    const { upstream, proxy, post } = await start();
    for (let call = 0; call < 3; call += 1) expect(await (await post()).json()).toHaveProperty('choices');
    expect(proxy.requests).toEqual([`CONNECT ${new URL(upstream.url).host}`]);
    expect([upstream.requests.length, upstream.connections]).toEqual([3, 1]);
    expect(upstream.requests[0]?.headers).not.toHaveProperty('proxy-authorization');
  });

  it('reaches an http upstream by the whole URL, with the host of the upstream', async () => {
    const { upstream, proxy, post } = await start({
      tls: 'none',
      credentials: 'user:p@ss',
      userinfo: 'user:p%40ss',
    });
    expect(await (await post()).json()).toHaveProperty('choices');
    expect(proxy.requests).toEqual([`POST ${upstream.baseUrl}/chat/completions`]);
    expect(upstream.requests[0]?.headers).toMatchObject({ host: new URL(upstream.url).host });
  });

  it('leaves names of the upstream to the proxy', async () => {
    const { proxy, post } = await start({ tls: 'wrong-host', host: 'wrong.example' });
    expect(await (await post()).json()).toHaveProperty('choices');
    expect(proxy.requests[0]).toMatch(/^CONNECT wrong\.example:\d+$/);
  });

  it('sends the credentials of the proxy to the proxy alone', async () => {
    const { upstream, post } = await start({ credentials: 'user:p@ss', userinfo: 'user:p%40ss' });
    expect((await post()).status).toBe(200);
    expect(JSON.stringify(upstream.requests[0]?.headers)).not.toContain(Buffer.from('user:p@ss').toString('base64'));
  });

  it('fails as unreachable where the proxy refuses it, without the credentials', async () => {
    const { upstream, post } = await start({ credentials: 'user:right', userinfo: 'user:wrong-one' });
    const error = await rejection(post());
    expect(error).toMatchObject({ upstream: { kind: 'unreachable' }, message: expect.stringContaining('407') });
    expect(`${(error as Error).stack} ${JSON.stringify(error)}`).not.toContain('wrong-one');
    expect(upstream.connections).toBe(0);
  });

  it('fails as unreachable where the certificate belongs to another host', async () => {
    const { upstream, post } = await start({ tls: 'wrong-host' });
    expect(await rejection(post())).toMatchObject({
      upstream: { kind: 'unreachable' },
      cause: { code: 'ERR_TLS_CERT_ALTNAME_INVALID' },
    });
    expect(upstream.requests).toHaveLength(0);
  });

  it('rejects a redirect', async () => {
    const { upstream, post } = await start();
    upstream.script(replies.redirect('https://evil.example/'));
    expect(await rejection(post())).toMatchObject({ upstream: { kind: 'redirect' } });
  });

  it('ends at connectMs where the proxy does not answer', async () => {
    const { proxy, post } = await start({ hangs: true });
    expect(await rejection(post({}, { connectMs: 50 }))).toMatchObject({ upstream: { kind: 'timeout', unsent: true } });
    await proxy.whenSocketsClosed();
  });

  it.each([
    ['during CONNECT', { hangs: true }],
    ['during TLS', { tls: 'hang' }],
  ] as const)('closes its sockets when it is aborted %s', async (_, given) => {
    const { proxy, post } = await start(given);
    const abort = new AbortController();
    const recorded = proxy.nextRequest();
    const outcome = rejection(post({ signal: abort.signal }));
    await recorded;
    abort.abort(new Error('not wanted'));
    expect(await outcome).toMatchObject({ message: 'not wanted' });
    await proxy.whenSocketsClosed();
    expect(proxy.openSockets()).toBe(0);
  });

  it('closes its sockets when it is aborted while the upstream works', async () => {
    const { upstream, proxy, post } = await start();
    upstream.script(replies.hang());
    const abort = new AbortController();
    const received = upstream.nextRequest();
    const outcome = rejection(post({ signal: abort.signal }));
    await received;
    abort.abort(new Error('not wanted'));
    expect(await outcome).toMatchObject({ message: 'not wanted' });
    await Promise.all([upstream.whenSocketsClosed(), proxy.whenSocketsClosed()]);
  });
});
