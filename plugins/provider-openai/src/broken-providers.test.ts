import type { ChatDelta, Provider } from '@patchbay/core/provider';
import { failingTests, type ProviderSetup, providerConformance } from '@patchbay/testing';
import { describe, expect, it } from 'vitest';
import plugin from './index.ts';

const models = { chatModel: 'gpt-6-luna', embeddingModel: 'text-embedding-3-small' };

function sound({ apiKey, baseUrl, timeouts, transport, logger }: ProviderSetup): Provider {
  const config = { apiKey, timeouts, baseUrl, catalogue: true };
  return plugin.definition.create({ config, deps: { transport }, logger, mount: 'providers.openai', directory: '.' });
}

/** The provider but for what `spoil` makes of its methods. */
const spoilt =
  (spoil: (provider: Provider, setup: ProviderSetup) => Partial<Provider>) =>
  (setup: ProviderSetup): Provider => {
    const provider = sound(setup);
    const methods: Provider = {
      models: (...given) => provider.models(...given),
      chat: (...given) => provider.chat(...given),
      stream: (...given) => provider.stream?.(...given) ?? nothing(),
      embed: async (...given) => (await provider.embed?.(...given)) ?? never(),
      health: async () => (await provider.health?.()) ?? { status: 'pass' },
    };
    return { ...methods, ...spoil(provider, setup) };
  };

async function* nothing(): AsyncGenerator<ChatDelta> {}

function never(): never {
  throw new Error('there is no such method');
}

const broken: readonly (readonly [what: string, create: (setup: ProviderSetup) => Provider, test: string])[] = [
  [
    'ignores that its caller has left',
    spoilt((provider) => ({
      chat: (request, context) => provider.chat(request, { ...context, signal: new AbortController().signal }),
    })),
    'of a call before it began sends nothing',
  ],
  [
    'ends a stream that was cut off as if it were whole',
    spoilt((provider) => ({
      async *stream(...given) {
        try {
          for await (const delta of provider.stream?.(...given) ?? []) yield delta;
        } catch {
          // As if there had been nothing more.
        }
      },
    })),
    'passes on that the upstream failed',
  ],
  [
    'asks again by itself',
    spoilt((provider) => ({
      chat: (...given) => provider.chat(...given).catch(() => provider.chat(...given)),
    })),
    '503 is provider_error',
  ],
  [
    'mixes up calls at the same time',
    spoilt((provider) => {
      let last: Parameters<Provider['chat']>[0] | undefined;
      return {
        async chat(request, context) {
          last = request;
          await new Promise(setImmediate);
          return await provider.chat(last, context);
        },
      };
    }),
    '20 calls at once get each their own answer',
  ],
  [
    'logs its key',
    spoilt((provider, { apiKey, logger }) => ({
      chat(...given) {
        logger.debug('calling', { apiKey });
        return provider.chat(...given);
      },
    })),
    'the key never leaks, even if the upstream repeats it',
  ],
  [
    'goes around the transport',
    spoilt((provider) => ({
      async chat(...given) {
        await fetch('http://127.0.0.1:1').catch(() => undefined);
        return provider.chat(...given);
      },
    })),
    'calls use the transport alone, and write nothing to the console',
  ],
  [
    'writes to the console',
    spoilt((provider) => ({
      chat(...given) {
        console.log('calling');
        return provider.chat(...given);
      },
    })),
    'calls use the transport alone, and write nothing to the console',
  ],
  [
    'drops what its model does not take',
    spoilt((provider) => ({
      chat: ({ model, messages }, context) => provider.chat({ model, messages }, context),
    })),
    'a parameter that a model does not take is refused before anything is sent',
  ],
  [
    'cuts embeddings off',
    spoilt((provider) => ({
      async embed(...given) {
        const answer = (await provider.embed?.(...given)) ?? never();
        return { ...answer, embeddings: answer.embeddings.map((embedding) => embedding.slice(1)) };
      },
    })),
    'match the dimensions of the model, number for number',
  ],
];

describe('the conformance suite of providers', () => {
  it.each(broken)('catches a provider that %s', async (_, create, test) => {
    const failing = (make: (setup: ProviderSetup) => Provider) =>
      failingTests((runner) => providerConformance(runner, { dialect: 'openai', create: make, ...models }), [test]);
    expect(await failing(sound)).toEqual([]);
    expect(await failing(create)).toEqual([test]);
  });
});
