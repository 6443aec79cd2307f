import assert from 'node:assert/strict';
import { createTransport } from '@patchbay/core';
import { testContext } from '../test-context.ts';
import { failure } from './assertions.ts';
import type { ProviderSuite } from './provider-under-test.ts';

/** The models that a provider lists. */
export function modelsSuite({ runner, options, it, question }: ProviderSuite): void {
  runner.describe('models', () => {
    it('exist, have distinct names, and need no request', async ({ provider, upstream }) => {
      const models = await provider.models();
      assert.ok(models.length > 0, 'there are models');
      assert.equal(new Set(models.map(({ name }) => name)).size, models.length, 'names are unique');
      assert.equal(upstream.connections, 0, 'models are a table: nothing is sent for it');
      assert.equal(provider.off, undefined, 'with a key, the provider is not off');
    });

    it('declare capabilities and limits', async ({ provider }) => {
      for (const { name, capabilities, maxTokens, dimensions, quality = 0.5, createdAt } of await provider.models()) {
        assert.ok(capabilities.length > 0, `${name} can do something`);
        if (capabilities.includes('embeddings')) {
          assert.equal(typeof provider.embed, 'function', `${name} claims embeddings: the provider needs embed`);
          assert.ok(Number.isSafeInteger(dimensions), `${name} has dimensions`);
        }
        if (capabilities.includes('chat')) assert.ok(Number.isSafeInteger(maxTokens), `${name} has maxTokens`);
        assert.ok(quality >= 0 && quality <= 1, `${name} has a quality from 0 to 1`);
        if (createdAt) assert.ok(Date.parse(createdAt) > 0, `${name} was published at a time`);
      }
      for (const { name, source } of await provider.models()) {
        if (!source) continue;
        assert.equal(new URL(source.url).protocol, 'https:', `${name} has a page`);
        assert.match(source.checkedAt, /^\d{4}-\d\d-\d\d$/, `${name} was read about on a day`);
      }
      const embeds = (await provider.models()).some(({ capabilities }) => capabilities.includes('embeddings'));
      assert.equal(
        embeds,
        options.embeddingModel !== undefined,
        'the options of the suite name an embeddingModel exactly where a model claims embeddings',
      );
    });

    it('a model that is not there is not asked', async ({ provider, upstream }) => {
      await failure(provider.chat({ ...question(), model: 'no-such-model' }, testContext()), 'provider_error');
      assert.equal(upstream.connections, 0, 'findModel refuses it before anything is sent');
    });

    it('a parameter that a model does not take is refused before anything is sent', async ({ provider, upstream }) => {
      for (const model of await provider.models()) {
        if (!model.capabilities.includes('chat')) continue;
        const { unsupported = [], maxTemperature, maxTokens } = model;
        const refused = [
          ...unsupported.map((name) => ({ [name]: 0.5 })),
          ...(maxTemperature === undefined ? [] : [{ temperature: maxTemperature + 0.5 }]),
          ...(maxTokens === undefined ? [] : [{ maxTokens: maxTokens + 1 }]),
        ];
        for (const parameter of refused) {
          const asked = { ...question(), model: model.name, ...parameter };
          await failure(provider.chat(asked, testContext()), 'unsupported_parameter');
        }
      }
      assert.equal(upstream.connections, 0, 'assertSupported refuses it before anything is sent');
    });

    it('health is known without the upstream', async ({ provider, upstream }) => {
      const health = await provider.health?.();
      assert.notEqual(health?.status, 'fail', 'a provider whose upstream was not asked has not failed');
      assert.equal(upstream.connections, 0, 'health sends nothing');
    });

    if (options.keyIsOptional) return;
    runner.it('without a key, the provider is off and has none', async () => {
      const logger = { debug() {}, info() {}, warn() {}, error() {} };
      const timeouts = { firstByteMs: 1_000, idleMs: 1_000 };
      for (const apiKey of [undefined, '']) {
        const transport = createTransport();
        // Nothing listens at this port.
        const provider = options.create({ baseUrl: 'http://127.0.0.1:1', apiKey, timeouts, transport, logger });
        assert.equal(typeof provider.off, 'string', 'without a key, create returns offProvider(name, why)');
        assert.deepEqual(await provider.models(), [], 'a provider that is off has no models');
        await failure(provider.chat(question(), testContext()), 'provider_auth_failed');
        await transport.stop();
      }
    });
  });
}
