import type { Runner } from '../runner.ts';
import { cancellationSuite } from './cancellation-suite.ts';
import { chatSuite } from './chat-suite.ts';
import { embeddingSuite } from './embedding-suite.ts';
import { failuresSuite } from './failures-suite.ts';
import { forwardSuite } from './forward-suite.ts';
import { modelsSuite } from './models-suite.ts';
import { optionsSuite } from './options-suite.ts';
import { partsSuite } from './parts-suite.ts';
import { type ProviderConformanceOptions, providerSuite } from './provider-under-test.ts';
import { streamSuite } from './stream-suite.ts';

/**
 * The tests that every provider has to pass, run against yours, over real HTTP and with an upstream that fails in every way.
 *
 * @example
 * ```ts
 * import { describe, it } from 'node:test';
 * import type { Provider } from '@patchbay/core/provider';
 * import { type ProviderSetup, providerConformance } from '@patchbay/testing';
 *
 * declare function createMyProvider(setup: ProviderSetup): Provider;
 *
 * providerConformance({ describe, it }, {
 *   dialect: 'openai',
 *   create: (setup) => createMyProvider(setup),
 *   chatModel: 'my-large',
 * });
 * ```
 */
export function providerConformance(runner: Runner, options: ProviderConformanceOptions): void {
  const suite = providerSuite(runner, options);
  runner.describe('provider', () => {
    modelsSuite(suite);
    chatSuite(suite);
    optionsSuite(suite);
    partsSuite(suite);
    streamSuite(suite);
    embeddingSuite(suite);
    forwardSuite(suite);
    failuresSuite(suite);
    cancellationSuite(suite);
  });
}
