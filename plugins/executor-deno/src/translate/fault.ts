/** Something that is wrong with a source text, and where: line and column count from 1, in UTF-16 units. */
export interface Fault {
  readonly code: string;
  readonly detail: string;
  readonly line?: number;
  readonly column?: number;
}

export interface Place {
  readonly line: number;
  readonly column: number;
}

export const MAX_FAULTS = 20;
