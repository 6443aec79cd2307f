import {
  completeChat,
  createUpstreamClient,
  fieldsOf,
  finishDelta,
  type JsonFields,
  listOf,
  type Provider,
  readUsage,
  textOf,
  transportOptions,
  type UpstreamClient,
  type Usage,
} from '@patchbay/core/provider';
import { describe, expect, it } from 'vitest';
import { failingTests } from '../failing-tests.ts';
import type { UpstreamDialect } from '../upstream/dialects/dialect.ts';
import { providerConformance } from './provider-conformance.ts';
import type { ProviderConformanceOptions, ProviderSetup } from './provider-under-test.ts';

type Counts = (usage: {
  readonly uncachedInputTokens: number;
  readonly outputTokens: number;
}) => readonly (number | string)[];

/** A vendor that tells its tokens in a list. */
const dialectWith = (counts: Counts): UpstreamDialect => ({
  answer: (_request, { text, usage }) => ({ say: text, ...(usage && { cost: counts(usage) }) }),
  error: (status, message) => ({ fault: `${status}`, message }),
  refusal: () => undefined,
});

function usageOf(answer: JsonFields, upstream: UpstreamClient): Usage | undefined {
  const [input, output] = listOf(answer['cost']) ?? [];
  return input === undefined ? undefined : readUsage({ input: Number(input), output: Number(output) }, upstream);
}

function createProvider({ baseUrl, timeouts, transport, apiKey = '' }: ProviderSetup): Provider {
  const upstream = createUpstreamClient({
    name: 'acme',
    fetch: transport.createFetch(transportOptions(baseUrl, timeouts)),
    headers: { 'x-key': apiKey },
    secrets: [apiKey],
    readError: () => ({}),
  });
  return {
    models: async () => [{ name: 'large', capabilities: ['chat'] }],
    async chat(request, { signal }) {
      const answer = await upstream.ask(`${baseUrl}/say`, { turns: request.messages }, signal);
      const content = textOf(fieldsOf(answer)?.['say']);
      if (content === undefined) throw upstream.badAnswer('has no text', answer);
      const usage = usageOf(answer, upstream);
      return completeChat({ content, finishReason: 'stop', usage }, request, [], upstream);
    },
  };
}

const optionsFor = (dialect: ProviderConformanceOptions['dialect']): ProviderConformanceOptions => ({
  dialect,
  create: createProvider,
  chatModel: 'large',
  wholeAnswersOnly: true,
});

/** The message of each test that fails, by its name. */
async function messagesOf(options: ProviderConformanceOptions, name: string): Promise<readonly string[]> {
  const messages: string[] = [];
  const declare = (body: () => void) => body();
  const bodies: (() => Promise<void> | void)[] = [];
  providerConformance(
    { describe: (_, body) => declare(body), it: (test, body) => void (test === name && bodies.push(body)) },
    options,
  );
  for (const body of bodies) {
    try {
      await body();
    } catch (error) {
      messages.push(describeError(error));
    }
  }
  return messages;
}

function describeError(error: unknown): string {
  return error instanceof AggregateError ? `${error.message}: ${error.errors.map(String).join()}` : String(error);
}

/** A vendor that streams lines of JSON to requests with `live: true`. */
const liveDialect: UpstreamDialect = {
  ...dialectWith(({ uncachedInputTokens, outputTokens }) => [uncachedInputTokens, outputTokens]),
  streamFormat: 'ndjson',
  answer(request, { text, usage }) {
    const cost = usage && { cost: [usage.uncachedInputTokens, usage.outputTokens] };
    if (fieldsOf(request.json)?.['live'] !== true) return { say: text, ...cost };
    const pieces = text.split(/(?<= )/).map((say) => JSON.stringify({ say }));
    return { opening: [], pieces, ending: [JSON.stringify({ over: true, ...cost })] };
  },
};

function createLiveProvider(setup: ProviderSetup): Provider {
  const { baseUrl, timeouts, transport, apiKey = '' } = setup;
  const upstream = createUpstreamClient({
    name: 'acme',
    fetch: transport.createFetch(transportOptions(baseUrl, timeouts)),
    headers: { 'x-key': apiKey },
    secrets: [apiKey],
    readError: () => ({}),
  });
  return {
    ...createProvider(setup),
    stream(request, { signal }) {
      let content = '';
      let last: JsonFields | undefined;
      return upstream.stream(`${baseUrl}/say`, { turns: request.messages, live: true }, signal, {
        read({ data }, deltas) {
          if (data?.['fault'] !== undefined) throw upstream.streamError(data);
          const text = textOf(data?.['say']);
          if (text !== undefined) {
            content += text;
            deltas.push({ type: 'text', text });
          }
          if (data?.['over'] === true) last = data;
          return last !== undefined;
        },
        end(deltas) {
          if (!last) throw upstream.badAnswer('ended before it was complete');
          const usage = usageOf(last, upstream);
          deltas.push(finishDelta(completeChat({ content, finishReason: 'stop', usage }, request, [], upstream)));
        },
      });
    },
  };
}

describe('the suite of providers', () => {
  it('passes a provider that streams NDJSON where the request has `live: true`', async () => {
    const options = { dialect: liveDialect, create: createLiveProvider, chatModel: 'large' };
    // The vendor lacks these with or without streams: a list of models, keys, tools, and options beside the messages.
    expect(await failingTests((runner) => providerConformance(runner, options))).toEqual([
      'declare capabilities and limits',
      'a model that is not there is not asked',
      'without a key, the provider is off and has none',
      'returns tool calls with distinct ids, and accepts their results',
      'stop reaches the upstream, or is refused before anything is sent',
      'seed reaches the upstream, or is refused before anything is sent',
      'responseJson reaches the upstream, or is refused before anything is sent',
      'extra of another format reaches the upstream, or is refused before anything is sent',
      'reasoningEffort reaches the upstream, or is refused before anything is sent',
      'an image is sent to a model with the capability vision, and to no other',
      'a recording is sent to a model with the capability audio, and to no other',
      'a file is sent to a model with the capability files, and to no other',
    ]);
  }, 60_000);

  const test = 'fewer tokens than none is no answer';

  it('finds token counts in a list', async () => {
    const dialect = dialectWith(({ uncachedInputTokens, outputTokens }) => [uncachedInputTokens, outputTokens]);
    expect(await failingTests((runner) => providerConformance(runner, optionsFor(dialect)), [test])).toEqual([]);
  });

  it('a dialect without a count to falsify is refused', async () => {
    const dialect = dialectWith((usage) => [`${usage.uncachedInputTokens}`, `${usage.outputTokens}`]);
    expect(await messagesOf(optionsFor(dialect), test)).toEqual([
      expect.stringContaining("the dialect's answer was not changed"),
    ]);
  });

  it('wrong counts are not tested for a vendor that counts none', async () => {
    const options = optionsFor({ ...dialectWith(() => []), answer: (_request, { text }) => ({ say: text }) });
    await expect(failingTests((runner) => providerConformance(runner, options), [test])).rejects.toThrow('no test');
  });

  it('a request that the vendor would refuse is named with the vendor', async () => {
    expect(await messagesOf(optionsFor('openai'), 'returns text, a finish reason and token counts')).toEqual([
      expect.stringMatching(
        /the suite plays 'openai', which answers POST \/v1\/say with 401\. Does your vendor speak otherwise\? See `dialect`/,
      ),
    ]);
  });
});
