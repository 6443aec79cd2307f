import type { Kind } from '../contracts/kinds.ts';
import type { Lifecycle } from '../contracts/lifecycle.ts';

/** A mounted instance and how it is. */
export interface Part {
  /** The name of the mount: `storage`, `providers.openai`. */
  readonly name: string;
  readonly kind: Kind;
  /** The name of the plugin's package. */
  readonly plugin: string;
  readonly optional: boolean;
  readonly instance: Lifecycle;
  /** Closes what the host has opened for it. Called once it has stopped, or is not going to be started. */
  readonly release?: () => Promise<void>;
  state: 'created' | 'started' | 'failed' | 'stopped';
}

/** How a part is called in errors and logs. */
export function partLabel(part: Pick<Part, 'name' | 'plugin'>): string {
  return `${part.name} (${part.plugin})`;
}
