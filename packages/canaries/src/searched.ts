import { channel } from 'node:diagnostics_channel';

/** What tests tell the watch. Nothing happens to it where there is none, as in benchmarks. */
export type Searched =
  | { readonly kind: 'answer' | 'log' | 'file'; readonly place: string; readonly bytes: Buffer }
  /** Whoever listens there repeats what it is told, and is not the server. */
  | { readonly kind: 'upstream'; readonly port: number }
  | { readonly kind: 'planted'; readonly name: string };

export const searched = channel('patchbay.canaries');
