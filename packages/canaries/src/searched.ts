import { channel } from 'node:diagnostics_channel';

/** A message from tests to the watch; ignored if there is none, as in benchmarks. */
export type Searched =
  | { readonly kind: 'answer' | 'log' | 'file'; readonly place: string; readonly bytes: Buffer }
  /** The server on this port plays an upstream that repeats what it receives. */
  | { readonly kind: 'upstream'; readonly port: number }
  | { readonly kind: 'planted'; readonly name: string };

export const searched = channel('patchbay.canaries');
