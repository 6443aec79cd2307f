import { spawn } from 'node:child_process';
import { once } from 'node:events';
import type { Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { sign, type WebhookEvent } from '@patchbay/client/webhooks';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { expressReceiver } from './express-receiver.ts';
import { type Inbox, openInbox } from './inbox.ts';
import { koaReceiver } from './koa-receiver.ts';

const secret = `whsec_${Buffer.alloc(32, 5).toString('base64')}`;
const bodyOf = (keyId: string) =>
  JSON.stringify({ type: 'key.revoked', timestamp: '2026-11-21T12:00:00.000Z', data: { keyId } });

const servers: Server[] = [];
const inboxes: Inbox[] = [];
afterEach(async () => {
  for (const inbox of inboxes.splice(0)) inbox.close();
  for (const server of servers.splice(0)) {
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
  }
});

const inboxInMemory = (): Inbox => {
  const inbox = openInbox(':memory:');
  inboxes.push(inbox);
  return inbox;
};

async function start(app: { listen(port: number, host: string): Server }) {
  const server = app.listen(0, '127.0.0.1');
  servers.push(server);
  await once(server, 'listening');
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/webhooks`;
  return async (body: string, headers: Record<string, string>): Promise<number> =>
    (await fetch(url, { method: 'POST', body, headers })).status;
}

describe.each([
  ['Koa', koaReceiver],
  ['Express', expressReceiver],
])('a receiver in %s', (_, receiver) => {
  it('handles once what is delivered twice, and nothing that was not signed', async () => {
    const inbox = inboxInMemory();
    const send = await start(receiver({ secret: [secret], receive: (event) => inbox.put(event) }));
    for (const id of ['event_1', 'event_2', 'event_1']) {
      const body = bodyOf(id);
      expect(await send(body, await sign({ id, timestamp: Date.now(), body }, secret))).toBe(204);
    }
    const headers = await sign({ id: 'event_3', timestamp: Date.now(), body: bodyOf('a') }, secret);
    const { 'webhook-signature': _signature, ...unsigned } = headers;
    expect(await send(bodyOf('b'), headers)).toBe(400);
    expect(await send(bodyOf('a'), unsigned)).toBe(400);
    expect(await send(bodyOf('a'.repeat(70_000)), headers)).toBe(413);
    const handled: WebhookEvent[] = [];
    await inbox.work(async (event) => void handled.push(event));
    expect(handled.map(({ id }) => id)).toEqual(['event_1', 'event_2']);
  });
});

it('the inbox tries again what failed, and does not handle twice what did not', async () => {
  vi.spyOn(console, 'error').mockImplementation(() => undefined);
  const inbox = inboxInMemory();
  const event = (id: string) => ({ id, ...(JSON.parse(bodyOf(id)) as object) }) as WebhookEvent;
  for (const id of ['event_1', 'event_2']) inbox.put(event(id));
  const tried: string[] = [];
  const handle = async ({ id }: WebhookEvent) => {
    tried.push(id);
    if (tried.length === 1) throw new Error('not now');
  };
  await inbox.work(handle);
  inbox.put(event('event_2'));
  await Promise.all([inbox.work(handle), inbox.work(handle)]);
  expect(tried).toEqual(['event_1', 'event_2', 'event_1']);
});

it.each(['koa', 'express'])('runs as a program, in %s', async (framework) => {
  const file = fileURLToPath(new URL('./webhook-receiver.ts', import.meta.url));
  const env = { WEBHOOK_SECRET: secret, PORT: '0', INBOX: ':memory:' };
  const args = ['--conditions=source', file, framework];
  const child = spawn(process.execPath, args, { env, stdio: ['ignore', 'pipe', 'ignore'] });
  try {
    const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]();
    const { value: listening = '' } = await lines.next();
    expect(listening).toMatch(new RegExp(`^${framework} listens on http://127\\.0\\.0\\.1:\\d+/webhooks$`, 'u'));
    const body = bodyOf('key_1');
    const headers = await sign({ id: 'event_1', timestamp: Date.now(), body }, secret);
    const response = await fetch(listening.slice(listening.indexOf('http')), { method: 'POST', body, headers });
    expect(response.status).toBe(204);
    expect(await lines.next()).toMatchObject({ value: 'key.revoked {"keyId":"key_1"}' });
  } finally {
    const exited = once(child, 'exit');
    child.kill();
    await exited;
  }
});
