import { afterEach, describe, expect, it } from 'vitest';
import { createMemoryStorage } from '../built-in/memory-storage.ts';
import { context, createHookedApp } from './fixtures/hooked-app.ts';
import { signedReceiver } from './fixtures/signed-receiver.ts';

const opened: { close(): Promise<unknown> }[] = [];

afterEach(async () => {
  for (const each of opened.splice(0)) await each.close();
});

async function open(storage: ReturnType<typeof createMemoryStorage>, config: object = {}) {
  const hooked = await createHookedApp({ storage, config });
  opened.push({ close: () => hooked.app.host.stop(0) });
  return hooked;
}

describe('the secret of a webhook', () => {
  it('stays sealed in the storage and signs after a rotation of the root secret', async () => {
    const storage = createMemoryStorage();
    const first = await open(storage);
    const receiver = await signedReceiver();
    opened.push(receiver);
    const { row, secret } = await first.hook(receiver.url);
    receiver.trust(secret);
    await first.app.services.webhooks.rotateSecret(row.id, context);
    const stored = JSON.stringify(await storage.scanAllTenants('webhooks', {}, 10));
    expect(stored).toMatch(/sealed1\..*sealed1\./);
    expect(stored).not.toContain('whsec_');
    expect(stored).not.toContain(secret.slice('whsec_'.length));
    await first.app.host.stop(0);
    const second = await open(storage, { secret: 'y'.repeat(32), previousSecrets: ['x'.repeat(32)] });
    await second.app.services.webhooks.test(row.id, context);
    // The receiver knows the secret before the rotation, which signs as well.
    expect((await receiver.received(1))[0]?.type).toBe('webhook.test');
    expect(receiver.forged).toEqual([]);
  });

  it('that can no longer be opened is a failure that says so, and nothing is sent', async () => {
    const storage = createMemoryStorage();
    const first = await open(storage);
    const receiver = await signedReceiver();
    opened.push(receiver);
    const { row } = await first.hook(receiver.url);
    await first.app.host.stop(0);
    const second = await open(storage, { secret: 'y'.repeat(32) });
    await second.app.services.webhooks.test(row.id, context);
    const log = async () => (await second.deliveries(row.id))[0]?.log;
    await expect.poll(log).toMatchObject([{ status: null, failure: 'secret_unreadable' }]);
    expect(receiver.connections()).toBe(0);
    // A rotation is the way out: what cannot be opened no longer signs.
    const { secret } = await second.app.services.webhooks.rotateSecret(row.id, context);
    receiver.trust(secret);
    await second.app.services.webhooks.test(row.id, context);
    expect((await receiver.received(1))[0]?.type).toBe('webhook.test');
  });
});
