import { describe, expect, it } from 'vitest';
import { contextOf } from '../functions/fixtures/function-parts.ts';
import { createTestGateway } from './fixtures/gateway.ts';
import { answer, chatModel, scriptedProvider } from './fixtures/scripted-provider.ts';
import type { ModelAliases } from './model-catalog.ts';

const context = contextOf('a');
const messages = [{ role: 'user', content: 'hello' }] as const;

const setUp = async (aliases: ModelAliases = {}) => {
  const chat = () => answer('hi');
  const cheap = chatModel('cheap', { pricing: { input: 1, output: 1 }, quality: 0.2 });
  const good = chatModel('good', { pricing: { input: 9, output: 9 }, quality: 0.9 });
  const { gateway } = await createTestGateway(
    {
      one: scriptedProvider([cheap, chatModel('org/shared')], { chat }),
      two: scriptedProvider([good, chatModel('org/shared')], { chat }),
      anthropic: scriptedProvider([chatModel('claude')], { chat }),
    },
    { aliases, tenants: { limited: { providers: { deny: ['two'] } } } },
  );
  const ask = async (model: string, more: object = {}, asking = context) => {
    const response = await gateway.chat({ messages, model, ...more }, asking);
    return [response.model, response.route];
  };
  return { gateway, ask };
};

describe('names of models', () => {
  it('a name without a provider stands for the one model that has it', async () => {
    const { ask } = await setUp();
    expect(await ask('cheap')).toEqual(['one/cheap', 'named']);
    expect(await ask('good')).toEqual(['two/good', 'named']);
    await expect(ask('org/shared')).rejects.toMatchObject({
      code: 'model_not_found',
      message: 'several providers have a model org/shared: name one of one/org/shared, two/org/shared',
    });
    await expect(ask('none')).rejects.toMatchObject({ code: 'model_not_found' });
  });

  it('a name is unique among the models that the tenant may use', async () => {
    const { ask } = await setUp();
    const limited = contextOf('limited');
    expect(await ask('org/shared', {}, limited)).toEqual(['one/org/shared', 'named']);
    await expect(ask('good', {}, limited)).rejects.toMatchObject({ code: 'model_not_found' });
  });

  it('auto takes a criterion', async () => {
    const { gateway, ask } = await setUp();
    expect((await ask('auto:cost'))[1]).toMatch(/^auto;/);
    const explained = await gateway.explain({ messages, model: 'auto:quality' }, context);
    expect(explained.length).toBeGreaterThan(3);
    await expect(ask('auto:cheap')).rejects.toMatchObject({
      code: 'model_not_found',
      message: 'there is no automatic choice by "cheap"; there are quality, cost, performance, balanced',
    });
  });

  it('an alias stands for its model, even under the prefix that pickers show', async () => {
    const { ask } = await setUp({ fast: { model: 'one/cheap' }, claude: { model: 'two/good' } });
    expect(await ask('fast')).toEqual(['one/cheap', 'named;alias="fast"']);
    expect(await ask('anthropic/fast')).toEqual(['one/cheap', 'named;alias="fast"']);
    // A model with that id exists.
    expect(await ask('anthropic/claude')).toEqual(['anthropic/claude', 'named']);
    expect(await ask('claude')).toEqual(['two/good', 'named;alias="claude"']);
  });

  it('an alias brings fallbacks and routing, which the request may override', async () => {
    const { ask } = await setUp({
      safe: { model: 'two/good', fallbacks: ['cheap'], routing: { providers: { deny: ['two'] } } },
      any: { model: 'auto', routing: { maxPrice: 2, providers: { allow: ['one', 'two'] } } },
    });
    await expect(ask('safe')).rejects.toMatchObject({ code: 'model_capability_mismatch' });
    expect(await ask('safe', { routing: { providers: {} } })).toEqual(['two/good', 'named;alias="safe"']);
    expect((await ask('any'))[0]).toBe('one/cheap');
  });

  it('an alias does not stand for another alias, nor for members that every object has', async () => {
    const { ask } = await setUp({ first: { model: 'second' }, second: { model: 'one/cheap' } });
    await expect(ask('first')).rejects.toMatchObject({ code: 'model_not_found' });
    await expect(ask('constructor')).rejects.toMatchObject({ code: 'model_not_found' });
    await expect(ask('anthropic/toString')).rejects.toMatchObject({ code: 'model_not_found' });
  });

  it('functions are models for chats only, which another part of the core serves', async () => {
    const { ask } = await setUp();
    const refused = {
      code: 'model_not_found',
      message: 'fn/<name> is a function: only chats take one, as their model',
    };
    await expect(ask('fn/summarize')).rejects.toMatchObject(refused);
    await expect(ask('cheap', { routing: { fallbacks: ['fn/summarize'] } })).rejects.toMatchObject(refused);
  });

  it('the models of fallbacks are named in the same ways', async () => {
    const { ask } = await setUp();
    expect(await ask('cheap', { routing: { fallbacks: ['good'] } })).toEqual(['one/cheap', 'named']);
    await expect(ask('cheap', { routing: { fallbacks: ['none'] } })).rejects.toMatchObject({ code: 'model_not_found' });
  });
});
