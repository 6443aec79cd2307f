import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import type { Worker } from 'node:worker_threads';
import { Webhook } from 'standardwebhooks';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { createThreadedSender } from './create-threaded-sender.ts';
import type { WebhookMessage, WebhookSender } from './create-webhook-sender.ts';

const secret = `whsec_${Buffer.alloc(24, 7).toString('base64')}`;
/** Everything is in the same second. */
const clock = { now: () => Date.now(), monotonic: () => 0 };
const FEW = 50;

let threads: Worker[];
let closers: (() => unknown)[];
let allow: string[];
const noteThread = (worker: Worker): void => void threads.push(worker);

beforeEach(() => {
  threads = [];
  closers = [];
  allow = ['127.0.0.0/8'];
  process.on('worker', noteThread);
});

afterEach(async () => {
  process.off('worker', noteThread);
  for (const close of closers.toReversed()) await close();
});

/** A receiver that checks signatures, and responds on demand at `/held`. */
async function startReceiver() {
  const seen: string[] = [];
  const held: ServerResponse[] = [];
  const receive = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    new Webhook(secret).verify(await text(request), request.headers as Record<string, string>);
    seen.push(String(request.headers['webhook-id']));
    if (request.url === '/held') held.push(response);
    else response.end('ok');
  };
  const server = createServer((request, response) => void receive(request, response));
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  closers.push(() => {
    server.closeAllConnections();
    server.close();
  });
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, seen, held };
}

function start(): WebhookSender {
  const settings = () => ({ policy: { ports: [443], allow }, limits: { totalMs: 10_000 } });
  const sender = createThreadedSender({ settings, clock });
  closers.push(() => sender.close());
  return sender;
}

let ids = 0;
const message = (url: string, signal = new AbortController().signal): WebhookMessage => {
  ids += 1;
  return { url, id: `msg_${ids}`, timestamp: Date.now(), secrets: [secret], body: '{}', signal };
};
const sendMany = (sender: WebhookSender, url: string, count: number) =>
  Promise.all(Array.from({ length: count }, () => sender.send(message(url))));

describe('a sender with a thread', () => {
  it('sends few messages itself, and leaves more to one thread', async () => {
    const receiver = await startReceiver();
    const sender = start();
    const few = await sendMany(sender, receiver.url, FEW);
    expect(threads).toHaveLength(0);
    const more = await sendMany(sender, receiver.url, 30);
    expect(threads).toHaveLength(1);
    for (const outcome of [...few, ...more]) expect(outcome).toMatchObject({ kind: 'delivered', status: 200 });
    expect(new Set(receiver.seen).size).toBe(FEW + 30);
  });

  it('holds its thread to the settings in force', async () => {
    const receiver = await startReceiver();
    const sender = start();
    await sendMany(sender, receiver.url, FEW + 1);
    allow = [];
    expect(await sender.send(message(receiver.url))).toMatchObject({ kind: 'failed', failure: 'url_refused' });
    allow = ['127.0.0.0/8'];
    expect(await sender.send(message(receiver.url))).toMatchObject({ kind: 'delivered' });
  });

  it('aborts the request of its thread with the signal', async () => {
    const receiver = await startReceiver();
    const sender = start();
    await sendMany(sender, receiver.url, FEW + 1);
    const leaving = new AbortController();
    const sending = sender.send(message(`${receiver.url}/held`, leaving.signal));
    await expect.poll(() => receiver.held.length).toBe(1);
    const closed = once(receiver.held[0] as ServerResponse, 'close');
    leaving.abort(new Error('no longer wanted'));
    await expect(sending).rejects.toThrow('no longer wanted');
    await closed;
  });

  it('rejects what its thread is sending when it is closed', async () => {
    const receiver = await startReceiver();
    const sender = start();
    await sendMany(sender, receiver.url, FEW + 1);
    const sending = sender.send(message(`${receiver.url}/held`));
    await expect.poll(() => receiver.held.length).toBe(1);
    sender.close();
    await expect(sending).rejects.toThrow('closed');
    await expect(sender.send(message(receiver.url))).rejects.toThrow('closed');
  });

  it('sends by itself again if its thread has ended', async () => {
    const receiver = await startReceiver();
    const sender = start();
    await sendMany(sender, receiver.url, FEW + 1);
    const sending = sender.send(message(`${receiver.url}/held`));
    await expect.poll(() => receiver.held.length).toBe(1);
    await threads[0]?.terminate();
    await expect(sending).rejects.toThrow('ended');
    expect(await sender.send(message(receiver.url))).toMatchObject({ kind: 'delivered' });
    expect(threads).toHaveLength(1);
  });
});
