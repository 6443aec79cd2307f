/** The clock, injected everywhere so that tests can control it. */
export interface Clock {
  /** Epoch milliseconds; may jump. For timestamps. */
  now(): number;
  /** Milliseconds since some start; never goes back. For durations and limits. */
  monotonic(): number;
}
