import type { Clock } from '@patchbay/contracts/clock';

/** `closed`: requests pass. `open`: no requests until a time. `half-open`: one request at a time probes the model. */
export type BreakerState = 'closed' | 'open' | 'half-open';

/** Stops requests to a failing model, and readmits it gradually. */
export interface CircuitBreaker {
  state(): BreakerState;
  /** Milliseconds until a request is admitted; 0 if it is admitted now. */
  waitMs(): number;
  /** The part of `waitMs` that the upstream requested. */
  coolingMs(): number;
  /** Admit one request; undefined if none is admitted. */
  admit(): AdmittedRequest | undefined;
  /** Open for a time that the upstream requested. */
  coolDown(ms: number): void;
  /** Open immediately: the response of the upstream is unambiguous. */
  trip(): void;
}

/** The outcome of one admitted request. Results from before the circuit last opened or closed are ignored. */
export interface AdmittedRequest {
  succeeded(): void;
  failed(): void;
  /** Release the admission without an outcome, as when the caller disconnects. */
  released(): void;
}

const FAILURES_IN_A_ROW = 3;
const WINDOW_MS = 20_000;
const WINDOW_SAMPLES = 10;
const MOST_SAMPLES = 100;
const WINDOW_FAILURE_RATE = 0.4;
const FIRST_OPEN_MS = 5_000;
const LONGEST_OPEN_MS = 20_000;
const PROBES_TO_CLOSE = 3;

/** Called when the circuit opens, with the initial duration, and when it closes. */
export type OnTurn = (turn: { readonly leftAloneMs: number } | 'asked') => void;

export function createCircuitBreaker(clock: Clock, onTurn: OnTurn = () => {}): CircuitBreaker {
  let openUntil = 0;
  let coolUntil = 0;
  let openings = 0;
  /** Counts openings and closings: an outcome counts only in the period that admitted the request. */
  let turn = 0;
  let probing = false;
  let probesPassed = 0;
  let inARow = 0;
  const latest = new LatestOutcomes();

  const state = (): BreakerState => {
    if (clock.monotonic() < Math.max(openUntil, coolUntil)) return 'open';
    return openings > 0 ? 'half-open' : 'closed';
  };

  const open = (): void => {
    openUntil = clock.monotonic() + Math.min(FIRST_OPEN_MS * 2 ** openings, LONGEST_OPEN_MS);
    if (openings === 0) onTurn({ leftAloneMs: FIRST_OPEN_MS });
    openings += 1;
    turn += 1;
    probing = false;
    probesPassed = 0;
    inARow = 0;
    latest.clear();
  };

  const succeeded = (): void => {
    const now = state();
    probing = false;
    inARow = 0;
    latest.add(clock.monotonic(), false);
    if (now !== 'half-open') return;
    probesPassed += 1;
    if (probesPassed < PROBES_TO_CLOSE) return;
    openings = 0;
    turn += 1;
    onTurn('asked');
  };

  const failed = (): void => {
    const now = state();
    probing = false;
    inARow += 1;
    latest.add(clock.monotonic(), true);
    // Only a cool-down that began after this request was admitted leads here: its failure adds nothing.
    if (now === 'open') return;
    const { count, failures } = latest.since(clock.monotonic() - WINDOW_MS);
    const failing = count >= WINDOW_SAMPLES && failures / count > WINDOW_FAILURE_RATE;
    if (now === 'half-open' || inARow >= FAILURES_IN_A_ROW || failing) open();
  };

  const released = (): void => {
    probing = false;
  };

  return {
    state,
    waitMs: () => Math.max(0, openUntil - clock.monotonic(), coolUntil - clock.monotonic()),
    coolingMs: () => Math.max(0, coolUntil - clock.monotonic()),
    admit() {
      const now = state();
      if (now === 'open' || (now === 'half-open' && probing)) return undefined;
      if (now === 'half-open') probing = true;
      const admittedIn = turn;
      const judge = (verdict: () => void) => () => {
        if (turn === admittedIn) verdict();
      };
      return { succeeded: judge(succeeded), failed: judge(failed), released: judge(released) };
    },
    coolDown(ms) {
      probing = false;
      coolUntil = Math.max(coolUntil, clock.monotonic() + ms);
    },
    trip() {
      if (state() !== 'open') open();
    },
  };
}

/** The latest outcomes, at most a number of them, in the same memory: one is added for every request. */
class LatestOutcomes {
  readonly #at = new Float64Array(MOST_SAMPLES);
  readonly #failed = new Uint8Array(MOST_SAMPLES);
  #added = 0;

  add(at: number, failed: boolean): void {
    const place = this.#added % MOST_SAMPLES;
    this.#at[place] = at;
    this.#failed[place] = Number(failed);
    this.#added += 1;
  }

  /** Of those after a time. */
  since(time: number): { readonly count: number; readonly failures: number } {
    let count = 0;
    let failures = 0;
    for (let place = 0; place < Math.min(this.#added, MOST_SAMPLES); place += 1) {
      if ((this.#at[place] as number) <= time) continue;
      count += 1;
      failures += this.#failed[place] as number;
    }
    return { count, failures };
  }

  clear(): void {
    this.#added = 0;
  }
}
