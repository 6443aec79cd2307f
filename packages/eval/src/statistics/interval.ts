/** A figure with its 95 % confidence interval. */
export interface Interval {
  readonly value: number;
  readonly low: number;
  readonly high: number;
}

/** Of the normal distribution: 95 % lies within this many standard deviations. */
export const Z_95 = 1.959964;
