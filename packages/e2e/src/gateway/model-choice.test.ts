import { describe, expect, it } from 'vitest';
import { expectProblem } from '../driver/expect-problem.ts';
import type { Answer } from '../driver/server-process.ts';
import { weather } from './requests.ts';
import { useVendors } from './use-vendors.ts';

// The models of area B, and how one of them is chosen, against a server with the adapters of three vendors.

const vendors = await useVendors();
const { server } = vendors;
const post = (path: string, body: object): Promise<Answer> => server.ask('POST', path, body);
const get = (path: string): Promise<Answer> => server.ask('GET', path);

interface ListedModel {
  readonly id: string;
  readonly provider: string;
  readonly name: string;
  readonly capabilities: readonly string[];
  readonly maxTokens?: number;
  readonly dimensions?: number;
}
const list = async (): Promise<readonly ListedModel[]> => (await get('/models')).body['data'] as ListedModel[];
const priceOf = async (id: string): Promise<number> => {
  const { pricing } = (await get(`/models/${id}`)).body as { readonly pricing?: { readonly output: number } };
  return pricing?.output ?? Number.NaN;
};

describe('GET /models', () => {
  it('lists every model with the documented fields, without price and date', async () => {
    const models = await list();
    expect(new Set(models.map(({ provider }) => provider))).toEqual(new Set(['openai', 'anthropic', 'google', 'demo']));
    const fields = ['capabilities', 'contextWindow', 'dimensions', 'id', 'maxTokens', 'name', 'provider'];
    for (const model of models) {
      expect(Object.keys(model).filter((name) => !fields.includes(name))).toEqual([]);
      expect(model.id).toBe(`${model.provider}/${model.name}`);
      expect(model.capabilities.length).toBeGreaterThan(0);
      const embeds = model.capabilities.includes('embeddings');
      expect([typeof model.maxTokens, typeof model.dimensions]).toEqual(
        embeds ? ['undefined', 'number'] : ['number', 'undefined'],
      );
    }
    const capabilities = new Set(models.flatMap((model) => model.capabilities));
    for (const name of ['chat', 'code', 'reasoning', 'vision', 'embeddings']) expect(capabilities).toContain(name);
  });
});

describe('GET /models/:id', () => {
  it('returns the fields of the list, the price and the date of every model', async () => {
    for (const listed of await list()) {
      const { status, body } = await get(`/models/${listed.id}`);
      expect(status).toBe(200);
      expect(body).toMatchObject({ ...listed, createdAt: expect.stringMatching(/^20\d\d-\d\d-\d\dT.{12}Z$/) });
      // Prices of cached tokens are known for some models only.
      const { cacheRead: _, cacheWrite: __, ...pricing } = body['pricing'] as Record<string, unknown>;
      expect(pricing).toEqual({
        input: expect.any(Number),
        output: expect.any(Number),
        currency: 'USD',
        unit: '1M tokens',
      });
    }
  });

  it('accepts the slash as it is and encoded', async () => {
    const raw = await get('/models/google/gemini-3.1-flash-lite');
    expect(raw.body['id']).toBe('google/gemini-3.1-flash-lite');
    for (const path of ['google%2Fgemini-3.1-flash-lite', 'google%2fgemini-3.1-flash-lite']) {
      expect((await get(`/models/${path}`)).body).toEqual(raw.body);
    }
  });

  it.each(['openai/none', 'none/gpt-4.1', 'openai', 'openai%2F'])('answers model_not_found for %s', async (id) => {
    expectProblem(await get(`/models/${id}`), 'model_not_found');
  });
});

describe('the model', () => {
  it.each([{}, { model: 'auto' }])(
    'is chosen where the request has %j, and the answer says which and why',
    async (choice) => {
      const { status, headers, body } = await post('/generate', { prompt: 'Hello', maxTokens: 20, ...choice });
      expect(status).toBe(200);
      expect((await list()).map(({ id }) => id)).toContain(body['model']);
      expect(headers.get('patchbay-route')).toMatch(/^auto;candidates=\d+;reason="For balanced: quality .*"$/);
      expect(String(body['model'])).not.toMatch(/^demo/);
    },
  );

  it('named in the request answers, at every endpoint', async () => {
    const model = 'google/gemini-3-flash-preview';
    const bodies = {
      '/generate': { prompt: 'Hello' },
      '/chat': { messages: [{ role: 'user', content: 'Hello' }] },
      '/function-calling': { messages: [{ role: 'user', content: 'Hello' }], functions: [weather] },
    };
    for (const [path, body] of Object.entries(bodies)) {
      const answer = await post(path, { ...body, model });
      expect([answer.body['model'], answer.headers.get('patchbay-route')]).toEqual([model, 'named']);
      expect(vendors.google.requests.at(-1)?.path).toBe('/v1beta/models/gemini-3-flash-preview:generateContent');
    }
  });

  it('with an unknown name answers 404', async () => {
    expectProblem(await post('/generate', { prompt: 'Hello', model: 'openai/none' }), 'model_not_found');
  });

  it('chosen automatically has what the request needs', async () => {
    const { body: embedding } = await post('/embeddings', { text: 'x' });
    expect(String(embedding['model'])).toMatch(/embedding/);
    const image = { type: 'image', data: 'iVBORw0KGgo=', mediaType: 'image/png' };
    const { body: chat } = await post('/chat', { messages: [{ role: 'user', content: [image] }], maxTokens: 20 });
    const seeing = (await list()).filter(({ capabilities }) => capabilities.includes('vision')).map(({ id }) => id);
    expect(seeing).toContain(chat['model']);
    const { body } = await post('/generate', { prompt: 'x', temperature: 0.5, frequencyPenalty: 1 });
    expect(String(body['model'])).toMatch(/^openai\/gpt-4/);
  });
});

describe('routing', () => {
  const chosen = async (routing: object): Promise<string> =>
    String((await post('/generate', { prompt: 'Hello', maxTokens: 20, routing })).body['model']);

  it('by cost takes a cheaper model than by quality', async () => {
    const [cheap, good] = [await chosen({ optimize: 'cost' }), await chosen({ optimize: 'quality' })];
    expect(await priceOf(cheap)).toBeLessThan(await priceOf(good));
    const route = (await post('/generate', { prompt: 'Hello', routing: { optimize: 'performance' } })).headers;
    expect(route.get('patchbay-route')).toContain('For performance');
  });

  it('respects a price, providers and capabilities', async () => {
    expect(await priceOf(await chosen({ optimize: 'quality', maxPrice: 1 }))).toBeLessThanOrEqual(1);
    for (const provider of ['openai', 'anthropic', 'google', 'demo']) {
      expect(await chosen({ providers: { allow: [provider] } })).toMatch(new RegExp(`^${provider}/`));
    }
    expect(await chosen({ providers: { deny: ['openai', 'anthropic'] } })).toMatch(/^google\//);
    const model = await chosen({ capabilities: ['reasoning', 'vision', 'code'] });
    const found = (await list()).find(({ id }) => id === model);
    expect(found?.capabilities).toEqual(expect.arrayContaining(['reasoning', 'vision', 'code']));
    const none = { prompt: 'Hello', routing: { capabilities: ['embeddings', 'chat'] } };
    expectProblem(await post('/generate', none), 'model_capability_mismatch');
  });

  it('falls back to the named models, in order', async () => {
    vendors.openai.script(({ socket }) => void socket.destroy());
    const { body, headers } = await post('/generate', {
      prompt: 'Hello',
      model: 'openai/gpt-4.1',
      routing: { fallbacks: ['openai/gpt-4.1-mini', 'google/gemini-3-flash-preview', 'anthropic/claude-opus-4-6'] },
    });
    expect(body['model']).toBe('google/gemini-3-flash-preview');
    expect(headers.get('patchbay-route')).toBe(
      'named;failed="openai/gpt-4.1 provider_error, openai/gpt-4.1 provider_error, openai/gpt-4.1-mini provider_error"',
    );
    const tooMany = { prompt: 'x', routing: { fallbacks: ['a/a', 'b/b', 'c/c', 'd/d'] } };
    expectProblem(await post('/generate', tooMany), 'invalid_request', '/routing/fallbacks');
  });
});

describe('POST /models/explain', () => {
  it('returns the rank of every model, or why it is excluded, and calls none', async () => {
    const before = [vendors.openai, vendors.anthropic, vendors.google].map(({ requests }) => requests.length);
    const { status, body } = await post('/models/explain', {
      messages: [{ role: 'user', content: 'Hello' }],
      temperature: 1.5,
      routing: { providers: { deny: ['google'] }, maxPrice: 100 },
    });
    expect(status).toBe(200);
    const data = body['data'] as readonly { id: string; score?: number; reason?: string; refused?: string }[];
    expect(new Set(data.map(({ id }) => id))).toEqual(new Set((await list()).map(({ id }) => id)));
    const ranked = data.filter(({ refused }) => refused === undefined);
    expect(ranked.map(({ id }) => id)).toContain('openai/gpt-4.1');
    expect(ranked.filter(({ id }) => !id.startsWith('openai/'))).toEqual([]);
    expect(ranked.map(({ score }) => score)).toEqual(
      ranked.map(({ score }) => score).toSorted((one, other) => Number(other) - Number(one)),
    );
    const refusalOf = (id: string) => data.find((each) => each.id === id)?.refused;
    expect(refusalOf('google/gemini-3-flash-preview')).toBe('the provider google is denied by the request');
    expect(refusalOf('anthropic/claude-opus-4-6')).toBe('supports a temperature of at most 1');
    expect(refusalOf('anthropic/claude-opus-5')).toBe('does not support temperature');
    expect(refusalOf('openai/text-embedding-3-small')).toBe('lacks chat');
    expect(refusalOf('demo/extractive')).toBe('is used only while no other model can answer');
    expect([vendors.openai, vendors.anthropic, vendors.google].map(({ requests }) => requests.length)).toEqual(before);
  });
});
