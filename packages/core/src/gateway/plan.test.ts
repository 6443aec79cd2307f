import type { PatchbayError } from '@patchbay/contracts/errors';
import { providerError } from '@patchbay/contracts/provider-error';
import { describe, expect, it } from 'vitest';
import { contextOf } from '../functions/fixtures/function-parts.ts';
import { createTestGateway } from './fixtures/gateway.ts';
import { answer, chatModel, scriptedProvider } from './fixtures/scripted-provider.ts';

const context = contextOf('a');
const messages = [{ role: 'user', content: 'hello' }] as const;

const setUp = () => {
  const chat = () => answer('hi');
  const plain = scriptedProvider([chatModel('plain', { pricing: { input: 1, output: 2 } })], { chat });
  const strict = scriptedProvider(
    [
      chatModel('strict', {
        capabilities: ['chat', 'vision'],
        unsupported: ['presencePenalty'],
        maxTemperature: 1,
        contextWindow: 100,
      }),
    ],
    { chat },
  );
  const demo = scriptedProvider([chatModel('demo', { lastResort: true })], { chat });
  const off = scriptedProvider([chatModel('x')], { off: 'no apiKey is set' });
  return { plain, strict, demo, off };
};

describe('the choice of a model', () => {
  it('a named model is split at the first slash', async () => {
    const provider = scriptedProvider([chatModel('org/name')], { chat: () => answer('hi') });
    const { gateway } = await createTestGateway({ p: provider });
    const { model, route } = await gateway.chat({ messages, model: 'p/org/name' }, context);
    expect([model, route, provider.requests[0]?.model]).toEqual(['p/org/name', 'named', 'org/name']);
  });

  it.each([
    ['an unknown model', { model: 'plain/other' }, 'model_not_found', undefined],
    ['an unknown provider', { model: 'other/plain' }, 'model_not_found', undefined],
    ['an unknown name without slash', { model: 'none' }, 'model_not_found', undefined],
    ['a provider that is off', { model: 'off/x' }, 'provider_not_configured', undefined],
    [
      'a missing capability',
      { model: 'plain/plain', routing: { capabilities: ['vision'] } },
      'model_capability_mismatch',
      '/model',
    ],
    [
      'an unsupported parameter',
      { model: 'strict/strict', presencePenalty: 1 },
      'unsupported_parameter',
      '/presencePenalty',
    ],
    ['too high a temperature', { model: 'strict/strict', temperature: 1.5 }, 'unsupported_parameter', '/temperature'],
    ['too many tokens', { model: 'plain/plain', maxTokens: 1_001 }, 'unsupported_parameter', '/maxTokens'],
    [
      'a denied provider',
      { model: 'plain/plain', routing: { providers: { deny: ['plain'] } } },
      'model_capability_mismatch',
      '/model',
    ],
    ['no model that can', { routing: { capabilities: ['reasoning'] } }, 'model_capability_mismatch', '/model'],
  ] as const)('refuses %s', async (_, choice, code, pointer) => {
    const { gateway } = await createTestGateway(setUp());
    const error = await gateway.chat({ messages, ...choice }, context).catch((thrown: unknown) => thrown);
    expect(error).toMatchObject({ code });
    expect((error as PatchbayError).errors[0]?.pointer).toBe(pointer);
  });

  it('a prompt that cannot fit the context is refused, and doubtful cases are left to the provider', async () => {
    const { gateway } = await createTestGateway(setUp());
    const ask = (length: number) =>
      gateway.chat({ model: 'strict/strict', messages: [{ role: 'user', content: 'x'.repeat(length) }] }, context);
    await expect(ask(1_616)).rejects.toMatchObject({ code: 'context_length_exceeded' });
    await expect(ask(1_600)).resolves.toBeDefined();
  });

  it('an automatic choice is among the models that can serve the request', async () => {
    const { gateway } = await createTestGateway(setUp());
    const image = [{ role: 'user', content: [{ type: 'image', url: 'https://a.example/x.png' }] }] as const;
    expect((await gateway.chat({ messages: image }, context)).model).toBe('strict/strict');
    expect((await gateway.chat({ messages, presencePenalty: 1 }, context)).model).toBe('plain/plain');
    expect((await gateway.chat({ messages, model: 'auto', routing: { maxPrice: 2 } }, context)).model).toBe(
      'plain/plain',
    );
    const denied = { providers: { deny: ['plain'] } };
    expect((await gateway.chat({ messages, routing: denied }, context)).model).toBe('strict/strict');
  });

  it('the maximum price holds for both prices of a model', async () => {
    const priced = (input: number, output: number) =>
      scriptedProvider([chatModel('m', { pricing: { input, output } })], { chat: () => answer('hi') });
    const providers = { cheap: priced(1, 2), question: priced(3, 2), answers: priced(1, 3), free: priced(0, 0) };
    const { gateway } = await createTestGateway({ ...providers, unknown: setUp().strict });
    const explained = await gateway.explain({ messages, routing: { maxPrice: 2 } }, context);
    expect(Object.fromEntries(explained.map(({ id, refused }) => [id, refused]))).toEqual({
      'cheap/m': undefined,
      'free/m': undefined,
      'question/m': 'costs 3 USD per 1M input tokens',
      'answers/m': 'costs 3 USD per 1M output tokens',
      'unknown/strict': 'has no known price',
    });
    const named = gateway.chat({ messages, model: 'question/m', routing: { maxPrice: 2 } }, context);
    await expect(named).rejects.toMatchObject({ code: 'model_capability_mismatch' });
  });

  it('an unknown fallback is named by its place in the request', async () => {
    const { gateway } = await createTestGateway(setUp());
    const routing = { fallbacks: ['strict/strict', 'strict/none'] };
    await expect(gateway.chat({ messages, model: 'plain/plain', routing }, context)).rejects.toMatchObject({
      code: 'model_not_found',
      errors: [{ pointer: '/routing/fallbacks/1' }],
    });
  });

  it('the refusal of a value beyond that of a named model states the limit', async () => {
    const { gateway } = await createTestGateway(setUp());
    const hot = gateway.chat({ messages, model: 'strict/strict', temperature: 1.5 }, context);
    await expect(hot).rejects.toMatchObject({
      message: 'strict/strict supports a temperature of at most 1',
      errors: [{ pointer: '/temperature', detail: 'must be at most 1 for this model' }],
    });
  });

  it('the last resort is used only while nothing else can respond', async () => {
    const { demo, plain } = setUp();
    const alone = await createTestGateway({ demo });
    expect((await alone.gateway.chat({ messages }, context)).model).toBe('demo/demo');
    const both = await createTestGateway({ demo, plain });
    expect((await both.gateway.chat({ messages }, context)).model).toBe('plain/plain');
    const explained = await both.gateway.explain({ messages }, context);
    expect(explained.find(({ id }) => id === 'demo/demo')?.refused).toBe(
      'is used only while no other model can answer',
    );
  });

  it('a request without any provider fails with the reasons', async () => {
    const { off } = setUp();
    const { gateway } = await createTestGateway({ off });
    await expect(gateway.chat({ messages }, context)).rejects.toMatchObject({
      code: 'no_provider_available',
      message: 'no model provider is on (off: no apiKey is set)',
    });
    expect(gateway.models(context)).toEqual([]);
  });

  it('explain covers every model without a request to any', async () => {
    const providers = setUp();
    const { gateway } = await createTestGateway(providers);
    const explained = await gateway.explain({ messages, frequencyPenalty: 1, temperature: 1.5 }, context);
    expect(explained.map(({ id, refused, state }) => [id, refused, state])).toEqual([
      ['plain/plain', undefined, 'closed'],
      ['strict/strict', 'supports a temperature of at most 1', 'closed'],
      ['demo/demo', 'is used only while no other model can answer', 'closed'],
    ]);
    expect(Object.values(providers).flatMap(({ requests }) => requests)).toEqual([]);
  });

  it('a router cannot choose a model that is not a candidate', async () => {
    const { plain, strict, demo } = setUp();
    const ranked = (id: string) => ({ id, score: 1, reason: 'because' });
    const router = {
      route: async () => ['strict/strict', 'nowhere/none', 'plain/plain', 'plain/plain', 'demo/demo'].map(ranked),
    };
    const failing = scriptedProvider([chatModel('plain')], {
      chat: () => {
        throw providerError('rejected', 'down');
      },
    });
    const denied = { routing: { providers: { deny: ['strict'] } } } as const;
    const { gateway } = await createTestGateway({ plain: failing, strict, demo }, { router });
    const error = await gateway.chat({ messages, ...denied }, context).catch((thrown: unknown) => thrown);
    expect(error).toMatchObject({ code: 'provider_error', extensions: { attempts: [{ model: 'plain/plain' }] } });
    expect([strict.requests, demo.requests]).toEqual([[], []]);
    const explained = await gateway.explain({ messages, ...denied }, context);
    expect(explained.map(({ id, refused }) => [id, refused !== undefined])).toEqual([
      ['plain/plain', false],
      ['strict/strict', true],
      ['demo/demo', true],
    ]);

    const silent = await createTestGateway(
      { plain, strict },
      { router: { route: async () => [ranked('plain/plain')] } },
    );
    const all = await silent.gateway.explain({ messages }, context);
    expect(all.map(({ id, reason }) => [id, reason])).toEqual([
      ['plain/plain', 'because'],
      ['strict/strict', 'left out by the router'],
    ]);
  });

  it('the router gets the observations, and its order is followed', async () => {
    const providers = setUp();
    const { gateway, clock } = await createTestGateway(providers, {
      router: {
        async route(request, candidates) {
          expect(request).toEqual({ optimize: 'cost', inputTokens: 2 });
          return candidates.map(({ id }, index) => ({ id, score: index, reason: `place "${index}"` })).toReversed();
        },
      },
    });
    clock.advance(1);
    const { model, route } = await gateway.chat({ messages, routing: { optimize: 'cost' } }, context);
    expect(model).toBe('strict/strict');
    expect(route).toBe('auto;candidates=2;reason="place \\"1\\""');
  });

  it('facts about a model from the operator replace those of the provider', async () => {
    const { plain } = setUp();
    const overrides = { 'plain/plain': { pricing: { input: 5, output: 9 }, maxTokens: 7 } };
    const { gateway } = await createTestGateway({ plain }, { overrides });
    expect(gateway.model('plain/plain', context).info).toMatchObject({
      name: 'plain',
      maxTokens: 7,
      pricing: { input: 5, output: 9 },
    });
  });
});
