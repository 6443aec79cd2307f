import { type Searched, searched } from './searched.ts';

/** In every planted secret, and in nothing else. Letters and digits only, so that no way of escaping changes it. */
export const canaryMark = 'q7Vx2KpZ9wTn4';

/**
 * A secret to plant: at least 32 characters, the same in every process of a run.
 *
 * @param name Purpose of the secret; in kebab-case, because it is part of the secret.
 */
export function canary(name: string): string {
  searched.publish({ kind: 'planted', name } satisfies Searched);
  return `canary-${canaryMark}-${name}-0123456789`;
}
