import {
  completeChat,
  createUpstreamClient,
  fieldsOf,
  listOf,
  type Provider,
  readUsage,
  textOf,
  transportOptions,
} from '@patchbay/core/plugin';
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
      const [input, output] = listOf(answer['cost']) ?? [];
      const usage = readUsage({ input: Number(input), output: Number(output) }, upstream);
      return completeChat({ content, toolCalls: [], finishReason: 'stop', usage }, request, [], upstream);
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

describe('the suite of providers', () => {
  const test = 'fewer tokens than none is no answer';

  it('reaches counts that are told in a list', async () => {
    const dialect = dialectWith(({ uncachedInputTokens, outputTokens }) => [uncachedInputTokens, outputTokens]);
    expect(await failingTests((runner) => providerConformance(runner, optionsFor(dialect)), [test])).toEqual([]);
  });

  it('says so where the dialect has no number that it could make wrong', async () => {
    const dialect = dialectWith((usage) => [`${usage.uncachedInputTokens}`, `${usage.outputTokens}`]);
    expect(await messagesOf(optionsFor(dialect), test)).toEqual([
      expect.stringContaining("the dialect's answer was not changed"),
    ]);
  });

  it('does not ask for wrong counts of a vendor that tells none', async () => {
    const options = optionsFor({ ...dialectWith(() => []), answer: (_request, { text }) => ({ say: text }) });
    await expect(failingTests((runner) => providerConformance(runner, options), [test])).rejects.toThrow('no test');
  });

  it('says which vendor it plays where that would not take what was sent', async () => {
    expect(await messagesOf(optionsFor('openai'), 'answers with text, a reason and what it cost')).toEqual([
      expect.stringMatching(
        /the suite plays 'openai', which answers POST \/v1\/say with 401\. Does your vendor speak otherwise\? See `dialect`/,
      ),
    ]);
  });
});
