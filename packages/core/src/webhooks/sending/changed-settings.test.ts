import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo, Socket } from 'node:net';
import { systemClock } from '@patchbay/contracts/base/clock';
import { afterEach, describe, expect, it } from 'vitest';
import { createWebhookSender } from './create-webhook-sender.ts';

const closers: (() => void)[] = [];
afterEach(() => {
  for (const close of closers.splice(0)) close();
});

/** A receiver that responds on demand. */
async function startReceiver() {
  const sockets = new Set<Socket>();
  const held: (() => void)[] = [];
  const server = createServer((_, response) => held.push(() => response.end()));
  server.on('connection', (socket) => {
    sockets.add(socket);
    socket.once('close', () => sockets.delete(socket));
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  closers.push(() => {
    server.closeAllConnections();
    server.close();
  });
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/`, sockets, held };
}

const message = (url: string, id: string) => ({
  url,
  id,
  timestamp: Date.now(),
  secrets: [`whsec_${Buffer.alloc(24).toString('base64')}`],
  body: '{}',
  signal: new AbortController().signal,
});

describe('a webhook sender whose settings change', () => {
  it('finishes messages under the settings they began with, sends the next under the new ones, and leaves no connection', async () => {
    const receiver = await startReceiver();
    let settings = { policy: { ports: [443], allow: ['127.0.0.0/8'] }, limits: { totalMs: 10_000 } };
    const sender = createWebhookSender({ settings: () => settings, clock: systemClock });
    closers.push(() => sender.close());
    const first = sender.send(message(receiver.url, 'one'));
    await expect.poll(() => receiver.held.length).toBe(1);
    settings = { ...settings, policy: { ports: [443], allow: [] } };
    expect(await sender.send(message(receiver.url, 'two'))).toMatchObject({ failure: 'url_refused' });
    receiver.held[0]?.();
    expect(await first).toMatchObject({ kind: 'delivered' });
    await expect.poll(() => receiver.sockets.size).toBe(0);
  });

  it('closes along with everything that is being sent, whatever settings it began with', async () => {
    const receiver = await startReceiver();
    let totalMs = 10_000;
    const sender = createWebhookSender({
      settings: () => ({ policy: { ports: [443], allow: ['127.0.0.0/8'] }, limits: { totalMs } }),
      clock: systemClock,
    });
    const sending = [sender.send(message(receiver.url, 'one'))];
    await expect.poll(() => receiver.held.length).toBe(1);
    totalMs = 9_000;
    sending.push(sender.send(message(receiver.url, 'two')));
    await expect.poll(() => receiver.held.length).toBe(2);
    sender.close();
    const ends = await Promise.allSettled(sending);
    expect(ends.map(({ status }) => status)).toEqual(['rejected', 'rejected']);
    await expect(sender.send(message(receiver.url, 'three'))).rejects.toThrow('closed');
    await expect.poll(() => receiver.sockets.size).toBe(0);
  });
});
