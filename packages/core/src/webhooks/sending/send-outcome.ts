import type { FailureCode } from './failure-code.ts';

interface Attempt {
  /** Milliseconds from the first packet to the end of the answer, or to the failure. */
  readonly durationMs: number;
  /** The first KiB of the answer as text, without control characters. Empty where there is none. */
  readonly responseExcerpt: string;
}

/** What became of one attempt to deliver. */
export type SendOutcome = DeliveredOutcome | FailedOutcome | GoneOutcome;

/** The endpoint answered 2xx, completely. */
export interface DeliveredOutcome extends Attempt {
  readonly kind: 'delivered';
  readonly status: number;
}

/** To be tried again later. */
export interface FailedOutcome extends Attempt {
  readonly kind: 'failed';
  readonly failure: FailureCode;
  /** Where the endpoint answered. */
  readonly status?: number;
  /** What the endpoint asks for; not bounded in any way. */
  readonly retryAfterMs?: number;
  /** The endpoint has more than it can do (429, 502, 503, 504): other deliveries to it should wait as well. */
  readonly throttled?: boolean;
}

/** The endpoint answered 410: it never wants to hear from us again. */
export interface GoneOutcome extends Attempt {
  readonly kind: 'gone';
  readonly status: 410;
}
