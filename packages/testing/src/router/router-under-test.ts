import type { RankedModel, RouteRequest, Router } from '@patchbay/core/plugin';
import type { Runner } from '../runner.ts';

export interface RouterConformanceOptions {
  /** A fresh router, once for each test. */
  create(): Router | Promise<Router>;
  /**
   * The capabilities in the plugin's definition. They select the tests.
   *
   * - `monotone`: a model that is better in what the caller asks for, all else equal, comes before the others. Routers
   *   that follow their own rules do not claim it.
   */
  readonly capabilities?: readonly string[];
}

/** The subject of a part of the suite. */
export interface RouterSuite {
  readonly runner: Runner;
  /** A test with a started router, which is stopped afterwards. */
  readonly it: (name: string, body: (router: Router) => Promise<void>) => void;
}

export const optimizations: readonly RouteRequest['optimize'][] = ['quality', 'cost', 'performance', 'balanced'];

export function ids(ranking: readonly RankedModel[]): readonly string[] {
  return ranking.map(({ id }) => id);
}
