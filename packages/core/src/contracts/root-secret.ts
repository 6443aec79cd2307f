/**
 * The one secret of an installation, from which all others are derived, so that an operator has one thing to keep.
 * It is not in the database: a copy of the database alone opens nothing.
 */
export interface RootSecret {
  /** 32 bytes for one purpose (HKDF-SHA-256, RFC 5869). Equal purposes give equal bytes; from one, no other is found. */
  derive(purpose: string): Uint8Array;
  /** Root secrets of before, newest first: what was made under them can be read, and nothing is made any more. */
  readonly previous?: readonly Pick<RootSecret, 'derive'>[];
}
