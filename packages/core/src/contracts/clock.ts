/** Tells the time. Passed in everywhere, so that tests can drive it. */
export interface Clock {
  /** Epoch milliseconds; may jump. For timestamps. */
  now(): number;
  /** Milliseconds since some start; never goes back. For durations and limits. */
  monotonic(): number;
}
