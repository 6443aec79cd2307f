import { createHmac } from 'node:crypto';
import type { IncomingHttpHeaders, RequestListener } from 'node:http';
import type { Socket } from 'node:net';
import { gzipSync } from 'node:zlib';
import { startDnsServer } from '@patchbay/outbound/egress/fixtures/dns-server';
import { createDnsResolver } from '@patchbay/outbound/egress/resolve-names';
import { afterEach, describe, expect, it } from 'vitest';
import {
  createWebhookSender,
  type SendLimits,
  type WebhookMessage,
  type WebhookSender,
} from './create-webhook-sender.ts';
import { receiverCertificate } from './fixtures/receiver-certificate.ts';
import { httpReceiver, httpsReceiver, type Receiver, tcpReceiver } from './fixtures/receivers.ts';

const clock = { now: () => Date.now(), monotonic: () => performance.now() };
const keys = [Buffer.alloc(32, 1), Buffer.alloc(32, 2)] as const;
const secrets = keys.map((key) => `whsec_${key.toString('base64')}`);
const body = JSON.stringify({
  type: 'function.created',
  timestamp: '2026-11-21T00:00:00.000Z',
  data: { name: 'grüße' },
});

describe('createWebhookSender', () => {
  const open: { close(): unknown }[] = [];
  afterEach(async () => {
    for (const each of open.splice(0)) await each.close();
  });

  const start = (limits: Partial<SendLimits> = {}): WebhookSender => {
    const sender = createWebhookSender({
      settings: () => ({ policy: { ports: [443, 8443], allow: ['127.0.0.0/8'] }, limits }),
      clock,
      certificateAuthorities: [receiverCertificate.cert],
      resolve: async () => [{ address: '127.0.0.1', family: 4 }],
    });
    open.push(sender);
    return sender;
  };
  const receive = async (starting: Promise<Receiver>): Promise<Receiver> => {
    const receiver = await starting;
    open.push(receiver);
    return receiver;
  };
  const http = (listener: RequestListener) => receive(httpReceiver(listener));
  const tcp = (onConnection: (socket: Socket) => void) => receive(tcpReceiver(onConnection));
  const message = (url: string, more: Partial<WebhookMessage> = {}): WebhookMessage => ({
    url,
    id: 'msg_1',
    timestamp: 1_763_683_200_999,
    secrets: secrets.slice(0, 1),
    body,
    signal: new AbortController().signal,
    ...more,
  });

  it('sends what Standard Webhooks requires, signed with each secret', async () => {
    let seen:
      | { readonly headers: IncomingHttpHeaders; readonly text: string; readonly url: string | undefined }
      | undefined;
    const { origin } = await http((request, response) => {
      const pieces: Buffer[] = [];
      request.on('data', (piece: Buffer) => pieces.push(piece));
      request.on('end', () => {
        seen = { headers: request.headers, text: Buffer.concat(pieces).toString(), url: request.url };
        response.writeHead(201).end('thank\u0000 you\u001b[31m\r\nall');
      });
    });
    const outcome = await start().send(message(`${origin}/hook?a=b`, { secrets }));
    expect(outcome).toMatchObject({ kind: 'delivered', status: 201, responseExcerpt: 'thank you[31m all' });
    const sign = (key: Buffer) => `v1,${createHmac('sha256', key).update(`msg_1.1763683200.${body}`).digest('base64')}`;
    expect(seen).toMatchObject({
      text: body,
      url: '/hook?a=b',
      headers: {
        'content-type': 'application/json',
        'content-length': String(Buffer.byteLength(body)),
        'user-agent': 'Patchbay-Webhooks/1',
        'accept-encoding': 'identity',
        host: new URL(origin).host,
        'webhook-id': 'msg_1',
        'webhook-timestamp': '1763683200',
        'webhook-signature': keys.map(sign).join(' '),
      },
    });
    expect(seen?.headers).not.toHaveProperty('cookie');
  });

  it('sends over TLS to a name, and keeps the connection for the next message', async () => {
    const hosts: (string | undefined)[] = [];
    const receiver = await receive(
      httpsReceiver(({ headers }, response) => {
        hosts.push(headers.host);
        response.setHeader('set-cookie', 'a=1').end();
      }),
    );
    const sender = start();
    const url = `https://receiver.test:${receiver.port}/`;
    expect(await sender.send(message(url))).toMatchObject({ kind: 'delivered', status: 200, responseExcerpt: '' });
    expect(await sender.send(message(url))).toMatchObject({ kind: 'delivered' });
    expect(hosts).toEqual([`receiver.test:${receiver.port}`, `receiver.test:${receiver.port}`]);
    expect(receiver.connections()).toBe(1);
  });

  it.each([
    [410, {}, { kind: 'gone', status: 410 }],
    [500, {}, { kind: 'failed', failure: 'status', status: 500 }],
    [404, {}, { kind: 'failed', failure: 'status', status: 404 }],
    [301, { location: '/else' }, { kind: 'failed', failure: 'redirected', status: 301 }],
    [307, { location: 'http://127.0.0.1:1/' }, { kind: 'failed', failure: 'redirected', status: 307 }],
    [304, {}, { kind: 'failed', failure: 'redirected', status: 304 }],
    [
      429,
      { 'retry-after': '17' },
      { kind: 'failed', failure: 'status', status: 429, throttled: true, retryAfterMs: 17_000 },
    ],
    [503, {}, { kind: 'failed', failure: 'status', status: 503, throttled: true }],
    [204, {}, { kind: 'delivered', status: 204 }],
  ])('maps the status %i to its outcome', async (status, headers, outcome) => {
    const receiver = await http((_, response) => response.writeHead(status, headers).end());
    expect(await start().send(message(receiver.origin))).toMatchObject(outcome);
    expect(receiver.connections()).toBe(1);
  });

  it('names each failure and reads no more of the response than necessary', async () => {
    const limits = { connectMs: 300, answerMs: 300, totalMs: 600, maxResponseBytes: 2_048 };
    const head = 'HTTP/1.1 200 OK\r\n';
    const failureOf = async (receiver: Receiver, url = receiver.origin) => {
      const sender = start(limits);
      const outcome = await sender.send(message(url));
      return outcome.kind === 'failed' ? outcome.failure : outcome.kind;
    };
    const answering = (text: string) => tcp((socket) => socket.once('data', () => socket.write(text)));
    const ending = (text: string) => tcp((socket) => socket.once('data', () => socket.end(text)));

    const hanging = await tcp((socket) => socket.resume());
    expect(await failureOf(hanging)).toBe('answer_timeout');
    expect(await failureOf(hanging, `https://127.0.0.1:${hanging.port}`)).toBe('connect_timeout');
    expect(await failureOf(await ending(''))).toBe('connection_closed');
    expect(await failureOf(await tcp((socket) => socket.once('data', () => socket.resetAndDestroy())))).toBe(
      'connection_closed',
    );
    expect(await failureOf(await answering(`${head}content-length: 10\r\n\r\nab`))).toBe('response_timeout');
    expect(await failureOf(await ending(`${head}content-length: 10\r\n\r\nab`))).toBe('response_broken');
    expect(await failureOf(await answering(`${head}transfer-encoding: chunked\r\n\r\nzz\r\n`))).toBe('response_broken');
    expect(await failureOf(await answering(`${head}x: ${'x'.repeat(20_000)}`))).toBe('headers_too_large');
    expect(await failureOf(await answering('SSH-2.0-OpenSSH_9.2\r\n\r\n'))).toBe('invalid_response');
    expect(
      await failureOf(await answering('HTTP/1.1 101 Switching\r\nconnection: upgrade\r\nupgrade: x\r\n\r\n')),
    ).toBe('invalid_response');
    const trickling = (first: string, rest: string) =>
      tcp((socket) => {
        socket.resume().write(first);
        const timer = setInterval(() => socket.write(rest), 20);
        socket.once('close', () => clearInterval(timer));
      });
    expect(await failureOf(await trickling(head, 'x: y\r\n'))).toBe('answer_timeout');
    expect(await failureOf(await trickling('', 'HTTP/1.1 103 Early Hints\r\n\r\n'))).toBe('answer_timeout');
    const chunked = `${head}transfer-encoding: chunked\r\n\r\n`;
    expect(await failureOf(await trickling(chunked, '1\r\na\r\n'))).toBe('response_timeout');
    const closed = await httpReceiver(() => undefined);
    await closed.close();
    expect(await failureOf(closed)).toBe('connect_failed');
    const tls = await receive(httpsReceiver((_, response) => response.end()));
    expect(await failureOf(tls, `https://other.test:${tls.port}`)).toBe('tls_failed');
    const plain = await answering('HTTP/1.1 400 Bad Request\r\n\r\n');
    expect(await failureOf(plain, `https://127.0.0.1:${plain.port}`)).toBe('tls_failed');
  });

  it('stops reading an endless body at the size limit and does not decompress it', async () => {
    let written = 0;
    const endless = await http((_, response) => {
      const piece = Buffer.alloc(64 * 1024, 'x');
      const write = (): void => {
        if (written >= 100 * 1024 * 1024 || response.destroyed) return;
        written += piece.length;
        if (response.write(piece)) setImmediate(write);
        else response.once('drain', write);
      };
      write();
    });
    const sender = start();
    const outcome = await sender.send(message(endless.origin));
    expect(outcome).toMatchObject({ kind: 'failed', failure: 'response_too_large', status: 200 });
    expect(outcome.responseExcerpt).toBe('x'.repeat(1_024));
    expect(written).toBeLessThan(50 * 1024 * 1024);
    const bomb = gzipSync(Buffer.alloc(20 * 1024 * 1024));
    const packed = await http((_, response) => response.writeHead(200, { 'content-encoding': 'gzip' }).end(bomb));
    expect(await sender.send(message(packed.origin))).toMatchObject({ kind: 'delivered', responseExcerpt: '' });
  });

  it('stops with the signal, closing the connection, even one that is being opened', async () => {
    for (const protocol of ['http', 'https']) {
      const leaving = new AbortController();
      const closed = Promise.withResolvers<void>();
      const receiver = await tcp((socket) => {
        socket.resume().once('close', () => closed.resolve());
        leaving.abort(new Error('left'));
      });
      const sending = start().send(message(`${protocol}://127.0.0.1:${receiver.port}`, { signal: leaving.signal }));
      await expect(sending).rejects.toThrow('left');
      await closed.promise;
    }
  });

  it('sends to other hosts while DNS queries hang', async () => {
    const dns = await startDnsServer((name) => (name === 'good.test' ? ['127.0.0.1'] : undefined));
    open.push(dns);
    const receiver = await http((_, response) => response.end());
    const policy = { ports: [443], allow: ['127.0.0.0/8'] };
    const resolver = createDnsResolver({ servers: [dns.address] });
    const sender = createWebhookSender({ settings: () => ({ policy }), clock, resolve: resolver.resolve });
    open.push(sender, resolver);
    const pending = Array.from({ length: 100 }, (_, number) => {
      const sending = sender.send(message(`http://never${number}.test:${receiver.port}/`));
      return sending.then(
        () => 'ended',
        () => 'ended',
      );
    });
    const first = sender.send(message(`http://good.test:${receiver.port}/`)).then(({ kind }) => kind);
    expect(await Promise.race([first, ...pending])).toBe('delivered');
  });

  it('closes everything when it is closed', async () => {
    const closed = Promise.withResolvers<void>();
    const sender = start();
    const receiver = await tcp((socket) => {
      socket.once('data', () => sender.close()).once('close', () => closed.resolve());
    });
    await expect(sender.send(message(receiver.origin))).rejects.toThrow('closed');
    await closed.promise;
    await expect(sender.send(message(receiver.origin))).rejects.toThrow('closed');
  });

  it('sends again at once if the host had just closed the kept-alive connection', async () => {
    let requests = 0;
    const receiver = await tcp((socket) => {
      let first = true;
      socket.on('data', () => {
        requests++;
        if (first) socket.write('HTTP/1.1 200 OK\r\ncontent-length: 0\r\n\r\n');
        else socket.destroy();
        first = false;
      });
    });
    const sender = start();
    for (let count = 0; count < 3; count++) {
      expect(await sender.send(message(receiver.origin))).toMatchObject({ kind: 'delivered' });
    }
    expect(requests).toBe(5);
    expect(receiver.connections()).toBe(3);
  });
});
