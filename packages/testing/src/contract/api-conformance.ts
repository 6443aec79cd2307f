import type { Runner } from '../runner.ts';
import { type ApiClient, type ApiSuite, type ApiUnderTest, createApiClient } from './api-under-test.ts';
import { functionsSuite } from './functions-suite.ts';
import { gatewaySuite } from './gateway-suite.ts';
import { compatibleOperations } from './operations/compatible-operations.ts';
import { operationsSuite } from './operations/operations-suite.ts';
import { placeSuite } from './place-suite.ts';
import { requestsSuite } from './requests-suite.ts';

/**
 * `functions` and `gateway` are the areas, `compatible` the endpoints in the formats of OpenAI and Anthropic; `requests`
 * is what HTTP requires, `place` that links are right. `operations` is every endpoint once, on a server that was just
 * started, with API keys, a token that also has the operator scopes, `functions.dynamicCalls: allow`, and
 * `webhooks.allow: [127.0.0.0/8]`.
 */
export type ApiTopic = 'functions' | 'gateway' | 'compatible' | 'requests' | 'place' | 'operations';

export interface ApiConformanceOptions {
  /** Called once for each test: start what is tested elsewhere. */
  api(): ApiUnderTest | Promise<ApiUnderTest>;
  /** Default: all but `operations`. */
  readonly topics?: readonly ApiTopic[];
}

const suites: Readonly<Record<ApiTopic, (suite: ApiSuite) => void>> = {
  functions: functionsSuite,
  gateway: gatewaySuite,
  compatible: compatibleOperations,
  requests: requestsSuite,
  place: placeSuite,
  operations: operationsSuite,
};

/**
 * The contract of the HTTP API from outside, as tests against a server or a host of yours. It writes functions, and
 * deletes only its own.
 *
 * @example
 * ```ts
 * import { describe, it } from 'node:test';
 * import { apiConformance } from '@patchbay/testing';
 *
 * const token = process.env['PATCHBAY_API_KEY'] ?? '';
 * apiConformance({ describe, it }, { api: () => ({ url: 'http://127.0.0.1:4810', token }), topics: ['functions'] });
 * ```
 */
export function apiConformance(runner: Runner, options: ApiConformanceOptions): void {
  declareSuites(runner, async () => createApiClient(await options.api()), options.topics);
}

export function declareSuites(
  runner: Runner,
  client: () => Promise<ApiClient>,
  topics: readonly ApiTopic[] = ['functions', 'gateway', 'compatible', 'requests', 'place'],
): void {
  const suite: ApiSuite = {
    describe: (name, body) => runner.describe(name, body),
    it: (name, body) => runner.it(name, async () => await body(await client())),
  };
  runner.describe('api', () => {
    for (const topic of topics) suites[topic](suite);
  });
}
