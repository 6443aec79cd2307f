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
