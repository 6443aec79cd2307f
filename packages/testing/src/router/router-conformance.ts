import type { Runner } from '../runner.ts';
import { exploringSuite } from './exploring-suite.ts';
import { monotoneSuite } from './monotone-suite.ts';
import { rankingSuite } from './ranking-suite.ts';
import type { RouterConformanceOptions, RouterSuite } from './router-under-test.ts';

/**
 * The tests that every router has to pass, run against yours.
 *
 * @example
 * ```ts
 * import { describe, it } from 'node:test';
 * import type { Router } from '@patchbay/core/plugin';
 * import { routerConformance } from '@patchbay/testing';
 *
 * declare function createMyRouter(): Router;
 *
 * routerConformance({ describe, it }, { create: createMyRouter });
 * ```
 */
export function routerConformance(runner: Runner, options: RouterConformanceOptions): void {
  const suite: RouterSuite = {
    runner,
    it(name, body) {
      runner.it(name, async () => {
        const router = await options.create();
        try {
          await router.start?.(new AbortController().signal);
          await body(router);
        } finally {
          await router.stop?.();
        }
      });
    },
  };
  runner.describe('router', () => {
    rankingSuite(suite);
    exploringSuite(suite);
    if (options.capabilities?.includes('monotone')) monotoneSuite(suite);
  });
}
