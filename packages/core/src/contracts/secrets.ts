import type { Lifecycle } from './lifecycle.ts';

/** Looks up what `${secret:name}` in the config file stands for. */
export interface Secrets extends Lifecycle {
  /** @throws PatchbayError `config_invalid` that names the missing secret, never a value. */
  resolve(name: string): Promise<string>;
}
