import type { Clock } from '../contracts/clock.ts';
import { type CircuitBreaker, createCircuitBreaker } from './circuit-breaker.ts';
import { createObservations, type Observations } from './observations.ts';

/** What the gateway knows of one model at one provider. */
export interface Deployment {
  readonly breaker: CircuitBreaker;
  readonly observations: Observations;
}

/** The state of all models, by id. */
export interface Deployments {
  of(id: string): Deployment;
  /** Those of one provider: a key that is refused for one model is refused for all. */
  ofProvider(provider: string): readonly Deployment[];
}

export function createDeployments(ids: readonly string[], clock: Clock): Deployments {
  const known = new Map(
    ids.map((id) => [id, { breaker: createCircuitBreaker(clock), observations: createObservations(clock) }]),
  );
  return {
    of(id) {
      const found = known.get(id);
      if (!found) throw new Error(`no deployment of ${id}`);
      return found;
    },
    ofProvider: (provider) => [...known].filter(([id]) => id.startsWith(`${provider}/`)).map(([, found]) => found),
  };
}
