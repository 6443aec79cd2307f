import { Webhook } from 'standardwebhooks';
import { describe, expect, it } from 'vitest';
import { sign, verify } from './index.ts';

// The reference implementation of Standard Webhooks on npm, and this one, on the same deliveries.

const secret = `whsec_${Buffer.alloc(32, 7).toString('base64')}`;
const standard = new Webhook(secret);
const bodyOf = (name: string) =>
  JSON.stringify({ type: 'function.created', timestamp: '2026-11-21T12:00:00.000Z', data: { name } });
const names = ['a', '', 'grüße', '👋🏽', '\u2028', '"\\', 'x'.repeat(20_000)];

describe('Standard Webhooks', () => {
  it.each(names)('deliveries signed by the reference implementation are accepted: %j', async (name) => {
    const at = new Date();
    const body = bodyOf(name);
    const headers = {
      'webhook-id': 'msg_1',
      'webhook-timestamp': String(Math.floor(at.getTime() / 1_000)),
      'webhook-signature': standard.sign('msg_1', at, body),
    };
    expect(await verify(body, headers, secret)).toEqual({ id: 'msg_1', ...(JSON.parse(body) as object) });
  });

  it.each(names)('deliveries signed by sign are accepted by the reference implementation: %j', async (name) => {
    const body = bodyOf(name);
    const headers = await sign({ id: 'msg_1', timestamp: Date.now(), body }, secret);
    expect(standard.verify(body, headers)).toEqual(JSON.parse(body));
  });

  const count = process.env['PATCHBAY_TEST_SIZE'] === 'full' ? 10_000 : 1_000;
  it(`refuses ${count} changed deliveries, as the reference implementation does`, async () => {
    const random = seeded(20_261_121);
    const pick = (count: number): number => Math.floor(random() * count);
    const change = (text: string): string => {
      const at = pick(text.length);
      const drop = pick(3) === 0 ? 1 : 0;
      const put = pick(3) === 0 ? '' : String.fromCharCode(33 + pick(94));
      return text.slice(0, at) + put + text.slice(at + drop);
    };
    const now = Date.now();
    const body = bodyOf('x'.repeat(40));
    const headers = await sign({ id: 'msg_1', timestamp: now, body }, secret);
    let refused = 0;
    let refusedThere = 0;
    for (let made = 0; made < count; ) {
      const part = (['body', 'webhook-id', 'webhook-timestamp', 'webhook-signature'] as const)[made % 4] ?? 'body';
      const original = part === 'body' ? body : headers[part];
      const changed = change(original);
      if (changed === original) continue;
      made++;
      const mutated = part === 'body' ? headers : { ...headers, [part]: changed };
      const given = part === 'body' ? changed : body;
      refused += await verify(given, mutated, secret, { now: () => now }).then(
        () => 0,
        () => 1,
      );
      try {
        standard.verify(given, mutated);
      } catch {
        refusedThere++;
      }
    }
    expect(refused).toBe(count);
    // It parses leading digits as a number, and so accepts a few timestamps that a letter follows.
    expect(refusedThere).toBeGreaterThan(count * 0.9);
  });
});

/** Mulberry32. */
function seeded(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296;
  };
}
