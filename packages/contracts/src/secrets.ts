import type { Lifecycle } from './lifecycle.ts';

/** Resolves `${secret:name}` in the config file. */
export interface Secrets extends Lifecycle {
  /** @throws PatchbayError `config_invalid` that names the missing secret, never a value. */
  resolve(name: string): Promise<string>;
}

/**
 * The one secret of an installation, from which all others are derived, so that an operator has one thing to keep.
 * It is not in the database: a copy of the database alone decrypts nothing.
 */
export interface RootSecret {
  /** 32 bytes for one purpose (HKDF-SHA-256, RFC 5869). Equal purposes yield equal bytes, from which others cannot be derived. */
  derive(purpose: string): Uint8Array;
  /** Previous root secrets, newest first: used to read existing data, never for new data. */
  readonly previous?: readonly Pick<RootSecret, 'derive'>[];
}
