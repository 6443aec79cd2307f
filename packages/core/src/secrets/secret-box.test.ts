import { tenantId } from '@patchbay/contracts/tenant';
import { describe, expect, it } from 'vitest';
import { createRootSecret } from '../app/root-secret.ts';
import { createMemoryStorage } from '../built-in/memory-storage.ts';
import { rewrapSecrets } from './sealed-fields.ts';
import { createSecretBox } from './secret-box.ts';

const place = { tenant: tenantId('acme'), kind: 'webhooks.secret', id: 'webhook_1' };
const first = createRootSecret('1'.repeat(32));
const second = createRootSecret('2'.repeat(32), ['1'.repeat(32)]);
const box = createSecretBox(first);

describe('a sealed text', () => {
  it.each(['', 'whsec_abc', 'ä 😀 \0', 'a'.repeat(1_000_000)])(
    'a sealed text opens in its own location: %.20j',
    (text) => {
      const sealed = box.seal(text, place);
      expect(box.open(sealed, place)).toBe(text);
      expect(sealed).toMatch(/^sealed1\.[0-9a-f]{16}\.[\w-]+$/);
    },
  );

  it('a sealed text shows nothing, not even that two are equal', () => {
    const sealed = Array.from({ length: 1_000 }, () => box.seal('whsec_abc', place));
    expect(new Set(sealed).size).toBe(1_000);
    expect(sealed.some((text) => Buffer.from(text.slice(25), 'base64url').includes('whsec'))).toBe(false);
  });

  it('a sealed text opens nowhere else', () => {
    const sealed = box.seal('whsec_abc', place);
    for (const other of [{ tenant: tenantId('other') }, { kind: 'webhooks.url' }, { id: 'webhook_2' }]) {
      expect(box.open(sealed, { ...place, ...other })).toBeUndefined();
    }
    // The text of one member must not pass for the end of another.
    expect(box.open(sealed, { ...place, kind: 'webhooks.secret","webhook_1', id: '' })).toBeUndefined();
  });

  it('a sealed text with a changed or missing character does not open', () => {
    const sealed = box.seal('whsec_abc', place);
    for (let index = 0; index < sealed.length; index += 1) {
      const other = sealed[index] === 'A' ? 'B' : 'A';
      expect(box.open(sealed.slice(0, index) + other + sealed.slice(index + 1), place), `${index}`).toBeUndefined();
      expect(box.open(sealed.slice(0, index), place), `${index}`).toBeUndefined();
    }
    for (const text of ['', 'sealed1..', `${sealed}A`, sealed.replace('sealed1', 'sealed2')]) {
      expect(box.open(text, place)).toBeUndefined();
    }
  });

  it('a sealed text opens under a later root secret that knows the previous one, and under no other', () => {
    const sealed = box.seal('whsec_abc', place);
    const later = createSecretBox(second);
    expect([box.isCurrent(sealed), later.isCurrent(sealed)]).toEqual([true, false]);
    expect(later.open(sealed, place)).toBe('whsec_abc');
    const again = later.seal('whsec_abc', place);
    expect([later.isCurrent(again), box.open(again, place)]).toEqual([true, undefined]);
    expect(createSecretBox(createRootSecret('2'.repeat(32))).open(sealed, place)).toBeUndefined();
  });
});

describe('rewrapSecrets', () => {
  it('old texts are encrypted again, current ones stay, and unreadable ones are named', async () => {
    const storage = createMemoryStorage();
    const row = (id: string, sealed: string | null) => ({
      id,
      revision: 1,
      requestHash: 'a',
      status: 'answered' as const,
      owner: 'a',
      answer: sealed === null ? null : { sealed },
      createdAt: '2026-01-01T00:00:00.000Z',
      expiresAt: '2026-01-02T00:00:00.000Z',
    });
    const { tenant } = place;
    const at = (id: string) => ({ tenant, kind: 'idempotencyKeys.answer', id });
    const later = createSecretBox(second);
    await storage.commit(tenant, [
      { insert: 'idempotencyKeys', row: row('old', box.seal('one', at('old'))) },
      { insert: 'idempotencyKeys', row: row('new', later.seal('two', at('new'))) },
      { insert: 'idempotencyKeys', row: row('moved', box.seal('three', at('old'))) },
      { insert: 'idempotencyKeys', row: row('empty', null) },
    ]);
    const unreadable = ['idempotencyKeys moved answer'];
    expect(await rewrapSecrets(storage, later)).toEqual({ rewrapped: 1, current: 1, unreadable });
    expect(await rewrapSecrets(storage, later)).toEqual({ rewrapped: 0, current: 2, unreadable });
    const only = createSecretBox(createRootSecret('2'.repeat(32)));
    const stored = await storage.get(tenant, 'idempotencyKeys', 'old');
    expect(only.open(stored?.answer?.['sealed'] as string, at('old'))).toBe('one');
  });
});
