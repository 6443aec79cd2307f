import type { Clock } from '../contracts/clock.ts';
import { type CircuitBreaker, createCircuitBreaker, type OnTurn } from './circuit-breaker.ts';
import { createObservations, type Observations } from './observations.ts';

/** What the gateway knows of one model at one provider. */
export interface Deployment {
  readonly breaker: CircuitBreaker;
  readonly observations: Observations;
}

/** The state of all models, by id. */
export interface Deployments {
  /** Undefined where there is no such model. */
  find(id: string): Deployment | undefined;
  of(id: string): Deployment;
  all(): readonly (readonly [id: string, deployment: Deployment])[];
  /** Those of one provider: a key that is refused for one model is refused for all. */
  ofProvider(provider: string): readonly Deployment[];
}

/**
 * @param known What is known of models already, by id.
 * @param onTurn Told when the circuit of a model opens, and when it closes again.
 */
export function createDeployments(
  ids: Iterable<string>,
  clock: Clock,
  known: ReadonlyMap<string, Deployment> = new Map(),
  onTurn: (id: string, ...turn: Parameters<OnTurn>) => void = () => {},
): Deployments {
  const fresh = (id: string) => {
    const breaker = createCircuitBreaker(clock, (turn) => onTurn(id, turn));
    return { breaker, observations: createObservations(clock) };
  };
  const deployments = new Map([...ids].map((id) => [id, known.get(id) ?? fresh(id)]));
  return {
    find: (id) => deployments.get(id),
    of(id) {
      const found = deployments.get(id);
      if (!found) throw new Error(`no deployment of ${id}`);
      return found;
    },
    all: () => [...deployments],
    ofProvider: (provider) =>
      [...deployments].filter(([id]) => id.startsWith(`${provider}/`)).map(([, found]) => found),
  };
}
