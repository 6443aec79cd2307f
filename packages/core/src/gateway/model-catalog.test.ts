import type { TenantPolicy } from '@patchbay/contracts/tenant-policy';
import { describe, expect, it } from 'vitest';
import { contextOf } from '../functions/fixtures/function-parts.ts';
import { createTestGateway } from './fixtures/gateway.ts';
import { answer, chatModel, scriptedProvider } from './fixtures/scripted-provider.ts';
import { loadPriceList } from './model-catalog.ts';

const messages = [{ role: 'user', content: 'hello' }] as const;

const setUp = async (tenants: Readonly<Record<string, TenantPolicy>>) => {
  const provider = () => scriptedProvider([chatModel('one'), chatModel('two')], { chat: () => answer('hi') });
  return (await createTestGateway({ p: provider(), q: provider() }, { tenants })).gateway;
};

const idsFor = async (tenant: string, policy: TenantPolicy) =>
  (await setUp({ [tenant]: policy })).models(contextOf('a')).map(({ id }) => id);

const all = ['p/one', 'p/two', 'q/one', 'q/two'];

describe('the models of a tenant', () => {
  it.each<[string, TenantPolicy, readonly string[]]>([
    ['everything without a policy', {}, all],
    ['the providers that are allowed', { providers: { allow: ['q'] } }, ['q/one', 'q/two']],
    ['all but the providers that are denied', { providers: { deny: ['q'] } }, ['p/one', 'p/two']],
    ['the models that are allowed', { models: { allow: ['p/one', 'q/*'] } }, ['p/one', 'q/one', 'q/two']],
    ['no model that is denied as well', { models: { allow: ['p/*'], deny: ['p/two'] } }, ['p/one']],
    ['what both filters let through', { models: { allow: ['p/one', 'q/one'] }, providers: { deny: ['q'] } }, ['p/one']],
    ['nothing where nothing is allowed', { providers: { allow: [] } }, []],
  ])('the models are %s', async (_, policy, expected) => {
    expect(await idsFor('a', policy)).toEqual(expected);
    expect(await idsFor('*', policy)).toEqual(expected);
    expect(await idsFor('b', policy)).toEqual(all);
  });

  it('its policy takes precedence over that of all tenants', async () => {
    const gateway = await setUp({ '*': { providers: { allow: [] } }, a: {} });
    expect(gateway.models(contextOf('a'))).toHaveLength(4);
    expect(gateway.models(contextOf('b'))).toEqual([]);
  });
});

describe('a model that a tenant may not use', async () => {
  const gateway = await setUp({ a: { providers: { deny: ['q'] } } });
  const context = contextOf('a');
  const outcome = async (call: () => unknown) => {
    try {
      return await call();
    } catch (error) {
      const { code, message, errors } = error as { code: string; message: string; errors: unknown };
      return { code, message, errors };
    }
  };

  it('the model is reported like an unknown one', async () => {
    for (const call of [
      (model: string) => gateway.model(model, context),
      (model: string) => gateway.chat({ messages, model }, context),
      (model: string) => gateway.chat({ messages, model: 'p/one', routing: { fallbacks: [model] } }, context),
      (model: string) => gateway.explain({ messages, model }, context),
      (model: string) => gateway.embed({ text: 'a', model }, context),
    ]) {
      const missing = await outcome(() => call('q/three'));
      expect(missing).toMatchObject({ code: 'model_not_found' });
      const hidden = await outcome(() => call('q/one'));
      expect(JSON.stringify(hidden).replace('q/one', 'q/three')).toBe(JSON.stringify(missing));
    }
  });

  it('the model is never chosen, and explain names the reason', async () => {
    for (let round = 0; round < 10; round += 1) {
      expect((await gateway.chat({ messages }, context)).model).toMatch(/^p\//);
    }
    expect(await gateway.explain({ messages }, context)).toEqual(
      expect.arrayContaining([expect.objectContaining({ id: 'q/one', refused: 'is not allowed for this tenant' })]),
    );
  });

  it('an error does not name it if no other model can serve', async () => {
    const needs = { routing: { capabilities: ['vision'] } } as const;
    const failure = await outcome(() => gateway.chat({ messages, ...needs }, context));
    expect(failure).toMatchObject({ code: 'model_capability_mismatch' });
    expect(JSON.stringify(failure)).not.toContain('q/');
    const nothing = await setUp({ a: { models: { allow: [] } } });
    expect(await outcome(() => nothing.chat({ messages }, context))).toMatchObject({
      code: 'model_not_found',
      message: 'no model is allowed for this tenant',
    });
  });
});

describe('the price list', () => {
  it('the price list contains separate prices for cached tokens', async () => {
    const priceOf = await loadPriceList();
    const price = priceOf('anthropic', 'claude-sonnet-4-5');
    expect(price).toMatchObject({ cacheRead: expect.any(Number), cacheWrite: expect.any(Number) });
    expect(price?.cacheRead).toBeLessThan(price?.input ?? 0);
    expect(price?.cacheWrite).toBeGreaterThan(price?.input ?? 0);
    // This vendor charges nothing for cache writes.
    expect(Object.keys(priceOf('openai', 'gpt-4o') ?? {})).toEqual(['input', 'output', 'cacheRead']);
  });
});
