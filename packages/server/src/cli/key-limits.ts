import { InvalidArgumentError } from 'commander';

const MOST_REQUESTS = 1_000_000;
const MOST_SECONDS = 86_400;
const MOST_USD = 1_000_000_000;

/** `60/60` or `60/60:10`: requests per seconds, and how many may come at once. */
export function rateLimit(text: string) {
  const [, requests, seconds, burst = requests] = /^(\d+)\/(\d+)(?::(\d+))?$/.exec(text) ?? [];
  const limit = { requests: Number(requests), seconds: Number(seconds), burst: Number(burst) };
  const isWithin = (value: number, most: number) => value >= 1 && value <= most;
  const { requests: count, seconds: period, burst: most } = limit;
  if (isWithin(count, MOST_REQUESTS) && isWithin(period, MOST_SECONDS) && isWithin(most, MOST_REQUESTS)) return limit;
  throw new InvalidArgumentError(
    `It is <requests>/<seconds>, such as 60/60, or with a burst 60/60:10; up to ${MOST_REQUESTS} requests in ${MOST_SECONDS} seconds.`,
  );
}

/** `5/day` or `12.50/month`: US dollars in a calendar period in UTC. */
export function budget(text: string) {
  const [, amount, period] = /^(\d+(?:\.\d+)?)\/(day|month)$/.exec(text) ?? [];
  const usd = Number(amount);
  if (usd > 0 && usd <= MOST_USD) return { usd, period: period as 'day' | 'month' };
  throw new InvalidArgumentError('It is <US dollars>/day or <US dollars>/month, such as 5/day or 12.50/month.');
}
