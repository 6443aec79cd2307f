/** Between the first process of a group, which serves nothing itself, and its members. */
export type FromMember =
  | { readonly kind: 'listening'; readonly url: string }
  /** A member received a request for the metrics of the server. `text`: its own. */
  | { readonly kind: 'collect'; readonly id: number; readonly text: string }
  | { readonly kind: 'metrics'; readonly text: string };

export type ToMember =
  /** Its successor listens: finish what is in progress, and end. */
  | { readonly kind: 'leave' }
  | { readonly kind: 'read-metrics' }
  /** The metrics of all other members. */
  | { readonly kind: 'collected'; readonly id: number; readonly running: readonly string[]; readonly ended: string };
