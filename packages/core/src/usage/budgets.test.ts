import { timestamp } from '@patchbay/contracts/base/clock';
import type { Principal } from '@patchbay/contracts/context';
import { definePlugin } from '@patchbay/contracts/define-plugin';
import type { PatchbayError } from '@patchbay/contracts/errors';
import type { ApiKeyRow } from '@patchbay/contracts/rows';
import { tenantId } from '@patchbay/contracts/tenant';
import { afterEach, describe, expect, it } from 'vitest';
import { createApp } from '../app/create-app.ts';
import { createRequestContext } from '../app/request-context.ts';
import { createMemoryStorage } from '../built-in/memory-storage.ts';
import type { AppConfig } from '../config/app-config.ts';
import { createStoppedClock } from '../functions/fixtures/function-parts.ts';
import { periodOf } from './accounts.ts';
import { costNanoUsd, decimalUsd } from './budgets.ts';
import { noUsage } from './usage-ledger.ts';

const usage = {
  uncachedInputTokens: 10,
  cacheReadTokens: 0,
  cacheWriteTokens: 0,
  outputTokens: 90,
  reasoningTokens: 0,
} as const;

// At 10,000 dollars for a million tokens, a call of 100 tokens costs a dollar.
const pricing = { input: 10_000, output: 10_000 };

describe('budgets', () => {
  const stops: (() => Promise<void>)[] = [];
  afterEach(async () => {
    for (const stop of stops.splice(0)) await stop();
  });

  /** An app whose only model waits until it is released, and responds with 100 tokens. */
  const start = async (config: Partial<AppConfig>, storage = createMemoryStorage(), clock = createStoppedClock()) => {
    const gate = { open: Promise.resolve(), asked: 0 };
    const provider = definePlugin({
      name: 'gated-provider',
      kind: 'provider',
      version: 1,
      config: { properties: {} },
      create: () => ({
        models: async () => [
          { name: 'large', capabilities: ['chat'], maxTokens: 1_000, pricing },
          { name: 'unpriced', capabilities: ['chat'], maxTokens: 1_000 },
        ],
        async chat() {
          gate.asked += 1;
          await gate.open;
          return { content: 'yes', finishReason: 'stop', usage };
        },
      }),
    });
    const kept = definePlugin({
      name: 'kept-storage',
      kind: 'storage',
      version: 1,
      config: { properties: {} },
      create: () => storage,
    });
    const app = await createApp(
      { patchbay: 1, storage: { use: kept }, providers: { acme: { use: provider } }, ...config },
      { clock },
    );
    stops.push(() => app.host.stop(0));
    const ask = async (
      changes: Partial<Principal> = {},
      maxTokens?: number,
      model = 'acme/large',
    ): Promise<PatchbayError | undefined> => {
      const caller = { id: 'key_1', kind: 'api-key', tenant: tenantId('a'), scopes: ['*'], ...changes } as const;
      const context = createRequestContext({ app, caller, requestId: 'request_1' });
      try {
        const limits = maxTokens === undefined ? {} : { maxTokens };
        await app.services.gateway.generate({ prompt: 'x', model, ...limits }, context);
        return undefined;
      } catch (error) {
        return error as PatchbayError;
      } finally {
        context.close();
      }
    };
    const many = async (count: number, changes: Partial<Principal> = {}, maxTokens?: number) => {
      const answers = await Promise.all(Array.from({ length: count }, () => ask(changes, maxTokens)));
      return answers.filter((error) => error === undefined).length;
    };
    return { app, ask, many, gate, clock, storage };
  };

  const perKey = (usd: number) => ({ limits: { key: { budget: { usd, period: 'day' } } } }) as const;

  it.each([
    ['refused', {}, 'model_unpriced'],
    ['refused if the tenant has the budget', { tenant: { budget: { usd: 1, period: 'day' } } }, 'model_unpriced'],
    ['let through with `unpriced: allow`', { unpriced: 'allow' }, undefined],
    ['let through without limits', { off: true }, undefined],
  ] as const)('a model without a price is %s', async (_, limits, code) => {
    const key = 'tenant' in limits ? {} : perKey(100).limits;
    const { ask, gate } = await start({ limits: { ...key, ...limits } });
    expect((await ask({}, undefined, 'acme/unpriced'))?.code).toBe(code);
    expect(gate.asked).toBe(code === undefined ? 1 : 0);
  });

  it('a model without a price is let through if there is no budget, and passed over if another has a price', async () => {
    expect(await (await start({})).ask({}, undefined, 'acme/unpriced')).toBeUndefined();
    const { app } = await start(perKey(100));
    const caller = { id: 'key_1', kind: 'api-key', tenant: tenantId('a'), scopes: ['*'] } as const;
    const context = createRequestContext({ app, caller, requestId: 'request_1' });
    const choice = { model: 'acme/unpriced', routing: { fallbacks: ['acme/large'] } };
    expect((await app.services.gateway.generate({ prompt: 'x', ...choice }, context)).model).toBe('acme/large');
    context.close();
  });

  it('calls are let through until the budget is used up, and the refusal says when it resets', async () => {
    const { ask, clock } = await start(perKey(3));
    clock.advance(3_600_000);
    for (let count = 0; count < 3; count += 1) expect(await ask()).toBeUndefined();
    const detail =
      'the budget of this key, 3 USD per day, is used up: 3 USD were spent; it resets at 2026-01-02T00:00:00.000Z';
    expect(await ask()).toMatchObject({
      code: 'quota_exceeded',
      status: 429,
      retryAfter: 23 * 3_600,
      message: detail,
      extensions: {
        budget: {
          scope: 'key',
          period: 'day',
          currency: 'USD',
          limit: '3.000000000',
          spent: '3.000000000',
          reserved: '0.000000000',
          resetsAt: '2026-01-02T00:00:00.000Z',
        },
      },
    });
    expect(await ask({ id: 'key_2' })).toBeUndefined();
    clock.advance(23 * 3_600_000);
    expect(await ask()).toBeUndefined();
  });

  it.each([
    ['that limit the length of the response', 99],
    ['that do not', undefined],
  ])('a budget is overspent by at most one of 500 concurrent calls %s', async (_, maxTokens) => {
    const { app, many, ask } = await start(perKey(10.5));
    let served = 0;
    for (let round = 0; round < 30 && served < 11; round += 1) served += await many(500, {}, maxTokens);
    expect(served).toBe(11);
    expect(await ask()).toMatchObject({ code: 'quota_exceeded' });
    const caller = { id: 'key_1', kind: 'api-key', tenant: tenantId('a'), scopes: ['*'] } as const;
    const context = createRequestContext({ app, caller, requestId: 'request_1' });
    const { total } = await app.services.usage.report(
      { from: '2026-01-01T00:00:00.000Z', to: '2026-01-02T00:00:00.000Z' },
      context,
    );
    context.close();
    expect([total.modelCalls, total.costNanoUsd]).toEqual([11, 11_000_000_000]);
  });

  it('a strict budget is never overspent: a call is refused unless all that it may cost is left', async () => {
    const { many, ask } = await start({ limits: { unpriced: 'allow' } });
    const strict = { limits: { budget: { usd: 3.5, period: 'day', strict: true } } } as const;
    let served = 0;
    for (let round = 0; round < 30 && served < 3; round += 1) served += await many(500, strict, 99);
    expect(served).toBe(3);
    expect(await ask(strict, 99)).toMatchObject({
      code: 'quota_exceeded',
      retryAfter: 86_400,
      message: expect.stringMatching(
        /too little left: 3 USD were spent, .* reserve 0 USD, and this one may cost 1\.\d+ USD/,
      ),
    });
    expect(await ask(strict, 10)).toBeUndefined();
    expect(await ask(strict, 10, 'acme/unpriced')).toMatchObject({ code: 'model_unpriced' });
  });

  it('callers receive a short Retry-After while the rest is reserved', async () => {
    const { ask, gate } = await start(perKey(5));
    const { promise, resolve } = Promise.withResolvers<void>();
    gate.open = promise;
    const first = ask();
    await expect.poll(() => gate.asked).toBe(1);
    const refused = await ask();
    expect(refused).toMatchObject({ code: 'quota_exceeded', retryAfter: 1 });
    const { limit, spent, reserved } = (refused as PatchbayError).extensions['budget'] as Record<string, string>;
    expect([limit, spent]).toEqual(['5.000000000', '0.000000000']);
    expect(Number(reserved)).toBeGreaterThanOrEqual(5);
    resolve();
    expect(await first).toBeUndefined();
    expect(await ask()).toBeUndefined();
  });

  it('the budget of the tenant counts as well, and the narrower one decides', async () => {
    const { ask, many } = await start({
      limits: { key: { budget: { usd: 2, period: 'day' } } },
      tenants: { a: { limits: { budget: { usd: 3, period: 'month' } } } },
    });
    expect([await ask(), await ask(), (await ask())?.code]).toEqual([undefined, undefined, 'quota_exceeded']);
    const other = { id: 'key_2' };
    expect([await ask(other), (await ask(other))?.message]).toEqual([
      undefined,
      'the budget of this tenant, 3 USD per month, is used up: 3 USD were spent; it resets at 2026-02-01T00:00:00.000Z',
    ]);
    expect(await many(2, { tenant: tenantId('b') }, 10)).toBe(2);
  });

  it('the budget of a key replaces the default', async () => {
    const { ask } = await start(perKey(1));
    const own = { limits: { budget: { usd: 2, period: 'month' } } } as const;
    expect([await ask(own), await ask(own), (await ask(own))?.code]).toEqual([undefined, undefined, 'quota_exceeded']);
  });

  it('a budget survives a restart', async () => {
    const before = await start(perKey(3));
    expect([await before.ask(), await before.ask()]).toEqual([undefined, undefined]);
    await before.app.host.stop(0);
    const after = await start(perKey(3), before.storage, before.clock);
    expect([await after.ask(), (await after.ask())?.code]).toEqual([undefined, 'quota_exceeded']);
  });

  it('the spending of other processes is known within seconds', async () => {
    const one = await start(perKey(3));
    const other = await start(perKey(3), one.storage, one.clock);
    expect([await one.ask(), await other.ask(), await other.ask()]).toEqual([undefined, undefined, undefined]);
    await other.app.host.stop(0);
    one.clock.advance(10_001);
    await one.ask();
    await expect.poll(async () => (await one.ask())?.code).toBe('quota_exceeded');
  });

  it('lists what is left of the budgets of a tenant and of its usable keys, the fullest first', async () => {
    const { app, ask, clock, storage } = await start({
      limits: { key: { budget: { usd: 4, period: 'day' } }, tenant: { budget: { usd: 8, period: 'month' } } },
    });
    clock.advance(3_600_000);
    const createdAt = timestamp(clock);
    const unlimited = { budget: null, ipAddresses: null, functions: null, rateLimit: null };
    const fresh = { expiresAt: null, revokedAt: null, lastUsedAt: null, rotatedAt: null };
    const unrotated = { previousHash: null, previousUntil: null, createdBy: 'cli', createdAt };
    const key = (id: string, changes: Partial<ApiKeyRow> = {}): ApiKeyRow => {
      const own = { id, revision: 1, name: `Key ${id}`, scopes: ['*'], lookupId: id, secretHash: id };
      return { ...unlimited, ...fresh, ...unrotated, ...own, ...changes };
    };
    const rows = [
      key('key_1'),
      key('key_2', { budget: { usd: 2, period: 'month' } }),
      key('key_3', { revokedAt: timestamp(clock) }),
      key('key_4', { expiresAt: timestamp(clock) }),
    ];
    await storage.commit(
      tenantId('a'),
      rows.map((row) => ({ insert: 'apiKeys', row })),
    );
    for (const id of ['key_1', 'key_2', 'key_2', 'key_3']) await ask({ id });
    const caller = { id: 'key_1', kind: 'api-key', tenant: tenantId('a'), scopes: ['*'] } as const;
    const list = async () =>
      (await app.services.usage.budgets({ caller })).budgets.map(
        ({ id, period, limitNanoUsd, spentNanoUsd, resetsAt }) =>
          [id, spentNanoUsd / 1e9, limitNanoUsd / 1e9, period, resetsAt.slice(0, 10)].join(' '),
      );
    expect(await list()).toEqual(['key_2 2 2 month 2026-02-01', 'a 4 8 month 2026-02-01', 'key_1 1 4 day 2026-01-02']);
    clock.advance(86_400_000);
    expect((await list()).at(-1)).toBe('key_1 0 4 day 2026-01-03');
    const limited = { ...caller, functions: ['function_1'] };
    await expect(app.services.usage.budgets({ caller: limited })).rejects.toMatchObject({ code: 'insufficient_scope' });
    expect(await app.services.usage.budgets({ caller: { ...caller, tenant: tenantId('b') } })).toMatchObject({
      budgets: [{ id: 'b', spentNanoUsd: 0 }],
      enforced: true,
    });
  });

  it('a budget of 0 lets nothing through, and no budget lets everything through', async () => {
    expect(await (await start(perKey(0))).many(3)).toBe(0);
    expect(await (await start({})).many(20)).toBe(20);
    const off = { limits: { off: true, key: { budget: { usd: 0, period: 'day' } } } } as const;
    expect(await (await start(off)).many(3)).toBe(3);
  });
});

describe('tokens per minute', () => {
  const start = async (tokensPerMinute: number) => {
    const clock = createStoppedClock();
    const provider = definePlugin({
      name: 'plain-provider',
      kind: 'provider',
      version: 1,
      config: { properties: {} },
      create: () => ({
        models: async () => [{ name: 'large', capabilities: ['chat'], maxTokens: 1_000 }],
        chat: async () => ({ content: 'yes', finishReason: 'stop', usage }),
      }),
    });
    const app = await createApp(
      { patchbay: 1, providers: { acme: { use: provider } }, limits: { key: { tokensPerMinute } } },
      { clock },
    );
    const caller = { id: 'key_1', kind: 'api-key', tenant: tenantId('a'), scopes: ['*'] } as const;
    const ask = async (maxTokens: number): Promise<PatchbayError | undefined> => {
      const context = createRequestContext({ app, caller, requestId: 'request_1' });
      try {
        await app.services.gateway.generate({ prompt: 'x'.repeat(40), model: 'acme/large', maxTokens }, context);
        return undefined;
      } catch (error) {
        return error as PatchbayError;
      } finally {
        context.close();
      }
    };
    return { app, clock, ask };
  };

  it('tokens are reserved before a call and settled after it', async () => {
    const { app, clock, ask } = await start(600);
    // Each sets aside 500 and more, and uses 100.
    for (let count = 0; count < 2; count += 1) expect(await ask(480)).toBeUndefined();
    const error = await ask(480);
    expect(error).toMatchObject({ code: 'rate_limited', extensions: { 'violated-policies': ['key-tokens'] } });
    clock.advance(Math.ceil((error?.retryAfter ?? 0) * 1_000));
    expect(await ask(480)).toBeUndefined();
    await app.host.stop(0);
  });

  it('a call that used more tokens than there are owes the rest, which must be refilled first', async () => {
    const { app, clock, ask } = await start(60);
    expect(await ask(1_000)).toBeUndefined();
    const error = await ask(1);
    expect(error?.code).toBe('rate_limited');
    // 40 are owed, and the next call sets aside at least eleven.
    expect(error?.retryAfter).toBeGreaterThan(50);
    clock.advance((error?.retryAfter ?? 0) * 1_000);
    expect(await ask(1)).toBeUndefined();
    await app.host.stop(0);
  });
});

describe('the cost of tokens', () => {
  it('the cost is exact in billionths of a dollar', () => {
    const tokens = {
      ...noUsage,
      uncachedInputTokens: 1_000,
      cacheReadTokens: 10,
      cacheWriteTokens: 1,
      outputTokens: 7,
    };
    expect(costNanoUsd({ input: 0.075, output: 0.3 }, tokens)).toBe(1_011 * 75 + 7 * 300);
    expect(costNanoUsd({ input: 0, output: 0 }, tokens)).toBe(0);
  });

  it('cached tokens count at their own price, and at that of other input if they have none', () => {
    const tokens = {
      ...noUsage,
      uncachedInputTokens: 1_000,
      cacheReadTokens: 100,
      cacheWriteTokens: 10,
      outputTokens: 1,
    };
    expect(costNanoUsd({ input: 3, output: 15, cacheRead: 0.3, cacheWrite: 3.75 }, tokens)).toBe(
      3_000_000 + 30_000 + 37_500 + 15_000,
    );
    expect(costNanoUsd({ input: 3, output: 15, cacheRead: 0.3 }, tokens)).toBe(3_000_000 + 30_000 + 30_000 + 15_000);
  });

  it('the cost is no more than can be counted', () => {
    const tokens = { ...noUsage, outputTokens: 1_000_000_000 };
    expect(costNanoUsd({ input: 0, output: 1e300 }, tokens)).toBe(Number.MAX_SAFE_INTEGER);
  });

  it('the cost is not known without a price', () => {
    expect(costNanoUsd(undefined, noUsage)).toBeNull();
  });

  it('the cost is written as a decimal without rounding', () => {
    expect([0, 1, 1_000_000_000, 12_345_678_901].map(decimalUsd)).toEqual([
      '0.000000000',
      '0.000000001',
      '1.000000000',
      '12.345678901',
    ]);
  });
});

describe('periods of budgets', () => {
  it('periods are days and months in UTC', () => {
    const now = Date.parse('2028-02-29T23:59:59.999Z');
    const iso = ({ start, end }: { start: number; end: number }) =>
      [start, end].map((ms) => new Date(ms).toISOString().slice(0, 10));
    expect(iso(periodOf('day', now))).toEqual(['2028-02-29', '2028-03-01']);
    expect(iso(periodOf('month', now))).toEqual(['2028-02-01', '2028-03-01']);
    expect(iso(periodOf('month', Date.parse('2026-12-31T00:00:00Z')))).toEqual(['2026-12-01', '2027-01-01']);
  });
});
