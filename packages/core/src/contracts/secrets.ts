import type { Lifecycle } from './lifecycle.ts';

/** Resolves `${secret:name}` in the config file. */
export interface Secrets extends Lifecycle {
  /** @throws PatchbayError `config_invalid` that names the missing secret, never a value. */
  resolve(name: string): Promise<string>;
}
