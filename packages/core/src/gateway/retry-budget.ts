/**
 * Lets retries be at most a tenth of all requests: when an upstream is down for everybody, retries by everybody would
 * be what keeps it down.
 */
export interface RetryBudget {
  /** Count one request. */
  request(): void;
  /** Take one retry, if there is one left. */
  take(): boolean;
}

const SHARE = 0.1;
const RESERVE = 10;

export function createRetryBudget(): RetryBudget {
  let tokens = RESERVE;
  return {
    request() {
      tokens = Math.min(RESERVE, tokens + SHARE);
    },
    take() {
      if (tokens < 1) return false;
      tokens -= 1;
      return true;
    },
  };
}
