/**
 * Tell the person who started the server something that must not be logged, such as a key that is shown once.
 *
 * The reference server prints it to the terminal. A host without a terminal may refuse by throwing, and then the thing
 * that was to be announced must not come to exist.
 */
export type Announce = (notice: Notice) => void;

export interface Notice {
  /** What it is, such as `Admin API key`. */
  readonly title: string;
  readonly value: string;
  /** One sentence on what to do with it. */
  readonly hint: string;
}
