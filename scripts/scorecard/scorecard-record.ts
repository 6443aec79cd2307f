/** One measured figure, and its target. */
export interface Figure {
  readonly what: string;
  readonly value: number | string;
  readonly unit?: string;
  readonly target?: Target;
  /** Further details, such as other percentiles. */
  readonly note?: string;
}

export interface Target {
  readonly most?: number;
  readonly least?: number;
  readonly exactly?: number | string;
}

/** The result of one run of a bench or a fault script: a file in `docs/scorecards`, from which the pages are written. */
export interface ScorecardRecord {
  readonly name: string;
  readonly command: string;
  readonly date: string;
  readonly machine: string;
  /** Whether other work ran on the machine when the run began. */
  readonly load: 'quiet' | 'busy';
  /** Who wrote the figures down. */
  readonly by: 'script' | 'hand';
  readonly figures: readonly Figure[];
}

/** Decided from the figure each time it is shown: a record cannot claim it. */
export function outcomeOf({ value, target }: Figure): 'met' | 'missed' | undefined {
  if (target === undefined) return undefined;
  const { most, least, exactly } = target;
  if (exactly !== undefined) return value === exactly ? 'met' : 'missed';
  if (typeof value !== 'number') throw new TypeError(`${value} cannot be compared with a target`);
  return value <= (most ?? Number.POSITIVE_INFINITY) && value >= (least ?? Number.NEGATIVE_INFINITY) ? 'met' : 'missed';
}
