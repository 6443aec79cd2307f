import { createTransport } from '@patchbay/core';
import type { Logger } from '@patchbay/core/plugin';
import type { ChatRequest, Provider, Transport } from '@patchbay/core/provider';
import type { Runner } from '../runner.ts';
import { startUpstream, type UpstreamOptions } from '../upstream/start-upstream.ts';
import type { Upstream } from '../upstream/upstream.ts';
import { beforeDeadline } from './before-deadline.ts';
import { explainRefusal } from './explain-refusal.ts';

/** Options of a provider in a test. */
export interface ProviderSetup {
  /** Where the upstream is: the provider's base URL. */
  readonly baseUrl: string;
  /** Undefined in the test of a missing key. */
  readonly apiKey: string | undefined;
  /** Milliseconds. Short if a test waits for one of them to expire. */
  readonly timeouts: { readonly firstByteMs: number; readonly idleMs: number };
  readonly transport: Transport;
  readonly logger: Logger;
}

export interface ProviderConformanceOptions {
  /** The dialect of its upstream. */
  readonly dialect: UpstreamOptions['dialect'];
  create(setup: ProviderSetup): Provider;
  /** A chat model: one that supports tools, if the provider has one. What it declares selects the tests. */
  readonly chatModel: string;
  /** The provider has no `stream`. Default: it has one, which is tested. */
  readonly wholeAnswersOnly?: boolean;
  /** Required if the provider has embeddings. */
  readonly embeddingModel?: string;
  /** A dialect in which the chat model takes requests as sent. Required if the provider has `forward`. */
  readonly forwards?: 'openai-chat' | 'openai-responses' | 'anthropic-messages';
  /** The provider works without a key. Default: without a key the provider is off. */
  readonly keyIsOptional?: boolean;
}

/** A provider over an upstream with scripted failures. */
export interface ProviderSubject {
  readonly provider: Provider;
  readonly upstream: Upstream;
  /** Everything that the provider logged. */
  readonly log: readonly unknown[];
}

/** The subject of a topic of the suite. */
export interface ProviderSuite {
  readonly runner: Runner;
  readonly options: ProviderConformanceOptions;
  /** A test with a provider and its own upstream. */
  readonly it: (
    name: string,
    body: (subject: ProviderSubject) => Promise<void>,
    timeouts?: Partial<ProviderSetup['timeouts']>,
  ) => void;
  /** A question to the chat model. */
  readonly question: (text?: string) => ChatRequest;
}

/** Long enough to be distinguished from everything else. */
export const apiKey = 'key-of-the-conformance-suite-3b9c55f1';

export function providerSuite(runner: Runner, options: ProviderConformanceOptions): ProviderSuite {
  return {
    runner,
    options,
    question: (text = 'Good morning?') => ({ model: options.chatModel, messages: [{ role: 'user', content: text }] }),
    it(name, body, timeouts = {}) {
      runner.it(name, async () => {
        const upstream = await startUpstream({ dialect: options.dialect });
        const transport = createTransport();
        const log: unknown[] = [];
        const write = (...entry: readonly unknown[]) => void log.push(entry);
        const setup: ProviderSetup = {
          baseUrl: upstream.baseUrl,
          apiKey,
          timeouts: { firstByteMs: 20_000, idleMs: 20_000, ...timeouts },
          transport,
          logger: { debug: write, info: write, warn: write, error: write },
        };
        try {
          await beforeDeadline(body({ provider: options.create(setup), upstream, log }));
        } catch (error) {
          throw explainRefusal(error, options.dialect, upstream.requests);
        } finally {
          await transport.stop();
          await upstream.stop();
        }
      });
    },
  };
}
