import { isTenantId } from '@patchbay/core/plugin';
import { InvalidArgumentError } from 'commander';
import type { CliContext } from './cli-context.ts';

/** Options of every command that works on the config. */
export interface ConfigOptions {
  readonly config?: string;
  readonly json?: boolean;
}

/** The config file that was named; undefined for the one in this folder, or the built-in defaults. */
export function configOf({ config }: ConfigOptions, { env }: CliContext): string | undefined {
  return config ?? (env['PATCHBAY_CONFIG'] || undefined);
}

const MOST_VERSIONS = 1_000_000_000;
const MOST_CELLS = 64;
const MAX_PORT = 65_535;
const MAX_TOKENS = 1_000_000;
const MAX_GRACE_SECONDS = 86_400;

/** Parsers of option values, by their names in `commands.json`. */
export const optionValues = {
  /** The option may be given several times. */
  list: (text: string, before: readonly string[] = []): readonly string[] => [...before, text],
  names: (text: string): readonly string[] => text.split(',').map((name) => name.trim()),
  versions: (text: string): readonly number[] => text.split(',').map(integer(1, MOST_VERSIONS)),
  usd: dollars,
  cells: integer(1, MOST_CELLS),
  tenant: tenantName,
  port: integer(0, MAX_PORT),
  number,
  tokens: integer(1, MAX_TOKENS),
  grace: integer(0, MAX_GRACE_SECONDS),
  rate: rateLimit,
  budget,
} as const;

export type OptionValue = keyof typeof optionValues;

/** A tenant name, as the core accepts it. */
function tenantName(text: string): string {
  if (isTenantId(text)) return text;
  throw new InvalidArgumentError('It is 1 to 128 letters, digits or ._:@|-, and does not begin with patchbay:.');
}

/** A whole number within bounds. */
function integer(least: number, most: number): (text: string) => number {
  return (text) => {
    const value = Number(text);
    if (text !== '' && Number.isInteger(value) && value >= least && value <= most) return value;
    throw new InvalidArgumentError(`It is a number from ${least} to ${most}.`);
  };
}

/** Its bounds are checked by the server. */
function number(text: string): number {
  const value = Number(text);
  if (text !== '' && Number.isFinite(value)) return value;
  throw new InvalidArgumentError('It is a number.');
}

/** A positive amount of money. */
function dollars(text: string): number {
  const usd = Number(text);
  if (usd > 0 && usd <= MOST_USD) return usd;
  throw new InvalidArgumentError('It is an amount of US dollars, such as 1.50.');
}

const MOST_REQUESTS = 1_000_000;
const MOST_SECONDS = 86_400;
const MOST_USD = 1_000_000_000;

/** `60/60` or `60/60:10`: requests per seconds, and the maximum burst. */
function rateLimit(text: string) {
  const [, requests, seconds, burst = requests] = /^(\d+)\/(\d+)(?::(\d+))?$/.exec(text) ?? [];
  const limit = { requests: Number(requests), seconds: Number(seconds), burst: Number(burst) };
  const isWithin = (value: number, most: number) => value >= 1 && value <= most;
  const isRate = isWithin(limit.requests, MOST_REQUESTS) && isWithin(limit.seconds, MOST_SECONDS);
  if (isRate && isWithin(limit.burst, MOST_REQUESTS)) return limit;
  throw new InvalidArgumentError(
    `It is <requests>/<seconds>, such as 60/60, or with a burst 60/60:10; up to ${MOST_REQUESTS} requests in ${MOST_SECONDS} seconds.`,
  );
}

/** `5/day` or `12.50/month`: US dollars in a calendar period in UTC. */
function budget(text: string) {
  const [, amount, period] = /^(\d+(?:\.\d+)?)\/(day|month)$/.exec(text) ?? [];
  const usd = Number(amount);
  if (usd > 0 && usd <= MOST_USD) return { usd, period: period as 'day' | 'month' };
  throw new InvalidArgumentError('It is <US dollars>/day or <US dollars>/month, such as 5/day or 12.50/month.');
}
