import { createTransport } from '@patchbay/core';
import { startUpstream, testContext, type Upstream, upstreamReplies } from '@patchbay/testing';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import plugin from './index.ts';
import { presetNames } from './presets.ts';

const transport = createTransport();
let upstream: Upstream;
let asked = 0;
beforeAll(async () => {
  upstream = await startUpstream({ dialect: 'openai' });
});
beforeEach(() => {
  asked = upstream.requests.length;
  upstream.script(upstreamReplies.healthy());
});
afterAll(async () => {
  await transport.stop();
  await upstream.stop();
});

const create = (config: object) => {
  const options = { apiKey: 'key-1', baseUrl: upstream.baseUrl, models: [{ name: 'm' }], ...config };
  return plugin.definition.create({
    config: options,
    deps: { transport },
    logger: { debug() {}, info() {}, warn() {}, error() {} },
    mount: 'providers.acme',
    directory: '.',
  });
};
const messages = [{ role: 'user', content: 'x' }] as const;
const forward = (provider: ReturnType<typeof create>, more: object = {}) => {
  const body = new TextEncoder().encode(JSON.stringify({ model: 'm', messages, ...more }));
  const request = { dialect: 'openai-chat', model: 'm', body, headers: {}, stream: false } as const;
  return provider.forward?.(request, testContext()) ?? Promise.reject(new Error('it does not forward'));
};

describe('the models of provider-openai', () => {
  it('take chats as they were sent, but for those that need the Responses API, and requests for responses', async () => {
    const provider = create({ catalogue: true, models: [] });
    const dialects = new Map((await provider.models()).map((model) => [model.name, model.dialects]));
    expect(dialects.get('gpt-4.1')).toEqual(['openai-chat', 'openai-responses', 'openai-compaction']);
    expect(dialects.get('gpt-6-astra')).toEqual(['openai-responses', 'openai-compaction']);
    expect(dialects.get('text-embedding-3-small')).toEqual(['openai-embeddings']);
  });

  it.each([
    ['azure', { name: 'm', vendor: 'openai' }, true],
    ['azure', { name: 'm', vendor: 'mistral' }, false],
    ['openrouter', { name: 'm', vendor: 'openai' }, false],
    [undefined, { name: 'm', vendor: 'openai' }, true],
    [undefined, { name: 'm' }, false],
  ])('of %s take requests for responses where they are kept: %j %s', async (preset, model, isTaken) => {
    const provider = create({ ...(preset && { preset }), models: [model], detect: false });
    const found = (await provider.models()).find(({ name }) => name === 'm');
    expect(found?.dialects?.includes('openai-responses')).toBe(isTaken);
  });

  it('of Mistral take none, as it has other names for members', async () => {
    const models = [{ name: 'm' }, { name: 'e', capabilities: ['embeddings'] }];
    const none = await Promise.all(
      presetNames.map(async (preset) => {
        const provider = create({ preset, models, detect: false });
        const found = (await provider.models()).filter(({ name }) => name === 'm' || name === 'e');
        return found.every(({ dialects = [] }) => dialects.length === 0) ? [preset] : [];
      }),
    );
    expect(none.flat()).toEqual(['mistral']);
  });
});

describe('OpenRouter', () => {
  it.each([
    ['models', ['a', 'b']],
    ['route', 'fallback'],
    ['provider', { order: ['x'] }],
    ['plugins', [{ id: 'web' }]],
    ['preset', 'own'],
  ])('is not asked for %s, which goes past the policies of the tenant', async (name, value) => {
    const provider = create({ preset: 'openrouter' });
    const refusal = { code: 'unsupported_parameter', errors: [{ pointer: `/${name}` }] };
    await expect(forward(provider, { [name]: value })).rejects.toMatchObject(refusal);
    const extra = { 'openai-chat': { [name]: value } };
    await expect(provider.chat({ model: 'm', messages, extra }, testContext())).rejects.toMatchObject(refusal);
    expect(upstream.requests).toHaveLength(asked);
  });

  it('gets every other member', async () => {
    await forward(create({ preset: 'openrouter' }), { transforms: ['middle-out'], reasoning: { effort: 'low' } });
    expect(upstream.requests.at(-1)?.json).toMatchObject({ transforms: ['middle-out'], reasoning: { effort: 'low' } });
  });
});
