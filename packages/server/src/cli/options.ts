import { isTenantId } from '@patchbay/core/plugin';
import { type Command, InvalidArgumentError, Option } from 'commander';

/** `--json`, of every command that prints results. */
export function withJson(command: Command): Command {
  return command.option('--json', 'Print results and errors as JSON, one per line');
}

/** Options of every command that talks to a server. */
export function withServer(command: Command): Command {
  return withJson(command)
    .addOption(new Option('--url <url>', 'The server. Default: $PATCHBAY_URL, or http://127.0.0.1:4810'))
    .addOption(
      new Option('--api-key <key>', 'Default: $PATCHBAY_API_KEY, which other users of the machine cannot see'),
    );
}

/** Options of every command that works on the config. */
export function withConfig(command: Command): Command {
  return command.option(
    '-c, --config <file>',
    'Config file. Default: $PATCHBAY_CONFIG, or patchbay.config.* in this folder, or built-in defaults',
  );
}

/** Takes an option several times. */
export const collect = (value: string, before: readonly string[] = []): readonly string[] => [...before, value];

/** A name of a tenant, as the core takes it. */
export function tenantName(text: string): string {
  if (isTenantId(text)) return text;
  throw new InvalidArgumentError('It is 1 to 128 letters, digits or ._:@|-, and does not begin with patchbay:.');
}

/** A whole number within bounds. */
export const integer =
  (least: number, most: number) =>
  (text: string): number => {
    const value = Number(text);
    if (text !== '' && Number.isInteger(value) && value >= least && value <= most) return value;
    throw new InvalidArgumentError(`It is a number from ${least} to ${most}.`);
  };

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
