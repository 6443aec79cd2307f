import { subscribe, unsubscribe } from 'node:diagnostics_channel';
import type { Socket } from 'node:net';
import { networkInterfaces } from 'node:os';
import { createAddressFilter } from '@patchbay/outbound/egress/address-filter';
import { startDnsServer } from '@patchbay/outbound/egress/fixtures/dns-server';
import { createDnsResolver } from '@patchbay/outbound/egress/resolve-names';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest';
import type { WebhookPolicy } from '../webhook-options.ts';
import { checkWebhookUrl } from './check-webhook-url.ts';
import { createWebhookSender, type WebhookSenderOptions } from './create-webhook-sender.ts';
import { httpReceiver, httpsReceiver, type Receiver, tcpReceiver } from './fixtures/receivers.ts';
import { addressTricks, urlTricks } from './fixtures/url-tricks.ts';
import { GuardedAgent, post } from './post.ts';

const clock = { now: () => Date.now(), monotonic: () => performance.now() };
const secrets = [`whsec_${Buffer.alloc(32).toString('base64')}`];

describe('deliveries to forbidden addresses', () => {
  let canary: Receiver;
  /** Each address that a socket of this process tried to connect to. */
  let attempts: string[] = [];
  const open: { close(): unknown }[] = [];
  const watch = (event: unknown): void => {
    const { socket } = event as { readonly socket: Socket };
    socket.on('connectionAttempt', (address: string) => attempts.push(address));
  };

  beforeAll(async () => {
    canary = await tcpReceiver((socket) => socket.end('HTTP/1.1 200 OK\r\ncontent-length: 0\r\n\r\n'), '::');
    subscribe('net.client.socket', watch);
  });
  afterAll(async () => {
    unsubscribe('net.client.socket', watch);
    await canary.close();
  });
  beforeEach(() => {
    attempts = [];
  });
  afterEach(async () => {
    for (const each of open.splice(0)) await each.close();
  });

  const policy = (allow: readonly string[] = []): WebhookPolicy => ({ ports: [443, 8443, canary.port], allow });
  const start = (given: WebhookPolicy, options: Partial<WebhookSenderOptions> = {}) => {
    const sender = createWebhookSender({
      settings: () => ({ policy: given, limits: { connectMs: 500, totalMs: 1_000 } }),
      clock,
      ...options,
    });
    open.push(sender);
    return async (url: string): Promise<string> => {
      const signal = new AbortController().signal;
      const outcome = await sender.send({ url, id: 'msg_1', timestamp: 0, secrets, body: '{}', signal });
      return outcome.kind === 'failed' ? outcome.failure : outcome.kind;
    };
  };
  const dns = async (zone: Parameters<typeof startDnsServer>[0]) => {
    const server = await startDnsServer(zone);
    open.push(server);
    const resolver = createDnsResolver({ servers: [server.address], timeoutMs: 200 });
    open.push(resolver);
    return resolver.resolve;
  };
  const tricks = () => urlTricks.map((url) => url.replaceAll('PORT', String(canary.port)));

  it('a connection to the target would be noticed here', async () => {
    const send = start(policy(['127.0.0.0/8', '::1/128']));
    expect(await send(`http://127.0.0.1:${canary.port}/`)).toBe('delivered');
    expect(await send(`http://[::1]:${canary.port}/`)).toBe('delivered');
    expect(await send(`http://localhost:${canary.port}/`)).toBe('delivered');
    expect(attempts).toEqual(['127.0.0.1', '::1', '127.0.0.1']);
  });

  it('no spelling of the URL leads to a private address', async () => {
    expect(new Set(urlTricks).size).toBe(urlTricks.length);
    expect(urlTricks.length).toBeGreaterThanOrEqual(120);
    const before = canary.connections();
    const send = start(policy(), { resolve: await dns(() => ['127.0.0.1', '::1']) });
    for (const url of tricks()) {
      expect(checkWebhookUrl(url, policy()) ?? (await send(url)), url).toMatch(/^must|^address_refused$/u);
      expect(await send(url), url).toMatch(/^(?:url|address)_refused$/u);
    }
    expect(attempts).toEqual([]);
    expect(canary.connections()).toBe(before);
  });

  it('the sender itself checks a URL that was not checked before', async () => {
    const before = canary.connections();
    const agent = new GuardedAgent();
    const resolve = await dns(() => ['127.0.0.1', '::1']);
    const guard = { isAllowed: createAddressFilter([]), resolve, connectMs: 500 };
    const limits = { answerMs: 500, totalMs: 1_000, maxResponseBytes: 1_024 };
    const signals = [new AbortController().signal];
    let tried = 0;
    for (const text of tricks()) {
      const url = URL.parse(text);
      if (url === null || !/^https?:$/u.test(url.protocol)) continue;
      tried++;
      const { fault } = await post({ url, headers: {}, body: Buffer.alloc(0) }, { agent, guard, limits, signals });
      expect(fault, text).toBe('address_refused');
    }
    expect(tried).toBeGreaterThan(100);
    expect(attempts).toEqual([]);
    expect(canary.connections()).toBe(before);
  });

  it('no name leads to a private address, alone or among public ones', async () => {
    const before = canary.connections();
    const byName = new Map<string, readonly string[]>(
      addressTricks.flatMap((address, index): [string, string[]][] => [
        [`alone${index}.test`, [address]],
        [`last${index}.test`, ['93.184.215.14', '2606:2800:21f:cb07:6820:80da:af6b:8b2c', address]],
        [`first${index}.test`, [address, '93.184.215.14']],
      ]),
    );
    const send = start(policy(), { resolve: await dns((name) => byName.get(name) ?? []) });
    for (const name of byName.keys())
      expect(await send(`https://${name}:${canary.port}/`), name).toBe('address_refused');
    expect(await send(`https://missing.test:${canary.port}/`)).toBe('name_not_resolved');
    expect(attempts).toEqual([]);
    expect(canary.connections()).toBe(before);
  });

  it('a name that changes its address does not lead to a private one', async () => {
    // 127.0.0.2 is what may be reached here: public addresses are not for tests.
    const given = policy(['127.0.0.2/32']);
    const seen: (string | undefined)[] = [];
    const receiver = await tcpReceiver((socket) => {
      seen.push(socket.localAddress);
      socket.once('data', () => socket.end('HTTP/1.1 200 OK\r\nconnection: close\r\ncontent-length: 0\r\n\r\n'));
    }, '0.0.0.0');
    open.push(receiver);
    const resolve = await dns((name, count) => {
      if (name === 'never.test') return undefined;
      return count > 1 ? ['127.0.0.1'] : ['127.0.0.2'];
    });
    const send = start(given, { resolve });
    expect(await send(`http://rebind.test:${receiver.port}/`)).toBe('delivered');
    for (let count = 0; count < 20; count++) {
      expect(await send(`http://rebind.test:${receiver.port}/`)).toBe('address_refused');
    }
    // Both families are queried at once: the results of one query do not vouch for those of another.
    const flapping = await dns((_, count) => (count % 2 === 1 ? ['127.0.0.2', '::1'] : ['127.0.0.1']));
    const sendToFlapping = start(given, { resolve: flapping });
    for (let count = 0; count < 20; count++) {
      expect(await sendToFlapping(`http://flap.test:${receiver.port}/`)).toBe('address_refused');
    }
    expect(await send(`http://never.test:${receiver.port}/`)).toMatch(/^(?:connect_timeout|name_not_resolved)$/u);
    expect(seen).toEqual(['127.0.0.2']);
    expect(attempts).toEqual(['127.0.0.2']);
  });

  it('no redirect is followed, of any kind and in any number', async () => {
    const before = canary.connections();
    let requests = 0;
    let origin = '';
    const targets = () => [
      `http://127.0.0.1:${canary.port}/`,
      `https://localhost:${canary.port}/`,
      'http://169.254.169.254/latest/meta-data/',
      `//127.0.0.1:${canary.port}/`,
      `${origin}/next`,
      '/next',
      'file:///etc/passwd',
    ];
    const redirecting = await httpReceiver(({ url = '' }, response) => {
      requests++;
      const [, status = '', index = ''] = url.split('/');
      const target = targets()[Number(index)] ?? '/next';
      response
        .writeHead(Number(status), { location: target, refresh: `0; url=${target}`, 'content-location': target })
        .end();
    });
    open.push(redirecting);
    origin = `http://127.0.0.2:${redirecting.port}`;
    const resolve = async () => [{ address: '127.0.0.1', family: 4 }];
    const send = start({ ports: [], allow: [`127.0.0.1/32`] }, { resolve });
    let sent = 0;
    for (const status of [300, 301, 302, 303, 305, 307, 308]) {
      for (const index of targets().keys()) {
        sent++;
        expect(await send(`http://127.0.0.1:${redirecting.port}/${status}/${index}`)).toBe('redirected');
      }
    }
    expect(requests).toBe(sent);
    expect(new Set(attempts)).toEqual(new Set(['127.0.0.1']));
    expect(canary.connections()).toBe(before);
  });

  it('no proxy from the environment is used', async () => {
    const before = canary.connections();
    const proxy = `http://127.0.0.1:${canary.port}`;
    for (const name of ['HTTP_PROXY', 'HTTPS_PROXY', 'ALL_PROXY', 'http_proxy', 'https_proxy', 'all_proxy']) {
      vi.stubEnv(name, proxy);
    }
    vi.stubEnv('NODE_USE_ENV_PROXY', '1');
    vi.stubEnv('NODE_TLS_REJECT_UNAUTHORIZED', '0');
    try {
      const untrusted = await httpsReceiver((_, response) => response.end());
      const plain = await httpReceiver((_, response) => response.end());
      open.push(untrusted, plain);
      const send = start(policy(['127.0.0.0/8']));
      expect(await send(untrusted.origin)).toBe('tls_failed');
      expect(await send(plain.origin)).toBe('delivered');
    } finally {
      vi.unstubAllEnvs();
    }
    expect(canary.connections()).toBe(before);
  });

  it('no other address of this machine is reached', async () => {
    const own = Object.values(networkInterfaces()).flatMap((each) => each ?? []);
    const isPublic = createAddressFilter([]);
    const send = start(policy());
    const privately = own.filter(({ address }) => !isPublic(address));
    expect(privately.length).toBeGreaterThan(0);
    for (const { address, family } of privately) {
      const host = family === 'IPv6' ? `[${address}]` : address;
      expect(await send(`https://${host}:${canary.port}/`), address).toBe('url_refused');
    }
    expect(attempts).toEqual([]);
  });
});
