import { type ParseArgsOptionsConfig, parseArgs } from 'node:util';
import { verifyAudit } from './audit-command.ts';
import type { OperatorCommand } from './command.ts';
import { functionsActions, writeTypes } from './functions-command.ts';
import { explainFaults, keysActions } from './keys-command.ts';
import { rewrapSecrets } from './secrets-command.ts';

const common = {
  config: { type: 'string', short: 'c' },
  json: { type: 'boolean', default: false },
  tenant: { type: 'string' },
} as const satisfies ParseArgsOptionsConfig;

/** The first words of commands that are not a start of the server. */
export const operatorWords: ReadonlySet<string> = new Set(['keys', 'audit', 'secrets', 'functions', 'types']);

/** @throws TypeError with a message for people. */
export function parseOperatorCommand(args: readonly string[], env: NodeJS.ProcessEnv): OperatorCommand {
  const [word = '', action = ''] = args;
  const rest = args.slice(2);
  const configOf = (given: string | undefined) => given ?? (env['PATCHBAY_CONFIG'] || undefined);
  if (word === 'keys') {
    const run = Object.hasOwn(keysActions, action) ? keysActions[action] : undefined;
    if (!run) throw new TypeError('patchbay keys create, list, rotate or revoke; see --help');
    return keysCommand(run, action, rest, configOf);
  }
  if (word === 'functions') {
    const run = Object.hasOwn(functionsActions, action) ? functionsActions[action] : undefined;
    const { values, positionals } = parseArgs({ args: [...rest], options: common, allowPositionals: true });
    const [name, more] = positionals;
    if (!run || !name || more !== undefined) throw new TypeError('patchbay functions promote or explain <name>');
    const options = { json: values.json, tenant: values.tenant ?? 'default' };
    return { config: configOf(values.config), run: (operator, output) => run(operator, output, options, name) };
  }
  if (word === 'types') {
    const { json: _, ...shared } = common;
    const { values } = parseArgs({ args: args.slice(1), options: { ...shared, out: { type: 'string' } } });
    const options = { tenant: values.tenant ?? 'default', out: values.out };
    return { config: configOf(values.config), run: (operator, output) => writeTypes(operator, output, options) };
  }
  const { values } = parseArgs({ args: [...rest], options: common });
  const { json, tenant } = values;
  const config = configOf(values.config);
  if (word === 'audit' && action === 'verify') {
    return { config, run: (operator, output) => verifyAudit(operator, output, { tenant, json }) };
  }
  if (word === 'secrets' && action === 'rewrap') {
    return { config, run: (operator, output) => rewrapSecrets(operator, output, { json }) };
  }
  throw new TypeError(`patchbay ${word} ${word === 'audit' ? 'verify' : 'rewrap'}; see --help`);
}

function keysCommand(
  run: NonNullable<(typeof keysActions)[string]>,
  action: string,
  args: readonly string[],
  configOf: (given: string | undefined) => string | undefined,
): OperatorCommand {
  const options = {
    ...common,
    name: { type: 'string' },
    scope: { type: 'string', multiple: true, default: [] as string[] },
    ip: { type: 'string', multiple: true, default: [] as string[] },
    expires: { type: 'string' },
    grace: { type: 'string' },
  } as const satisfies ParseArgsOptionsConfig;
  const { values, positionals } = parseArgs({ args: [...args], options, allowPositionals: true });
  const takesId = action === 'rotate' || action === 'revoke';
  const [id = '', more] = positionals;
  if ((id !== '') !== takesId || more !== undefined) {
    throw new TypeError(takesId ? `patchbay keys ${action} <id>` : `patchbay keys ${action} takes options only`);
  }
  const given = {
    tenant: values.tenant ?? 'default',
    json: values.json,
    scope: values.scope,
    ip: values.ip,
    name: values.name,
    expires: values.expires,
    grace: values.grace,
  };
  return {
    config: configOf(values.config),
    async run(operator, output) {
      try {
        return await run(operator, output, given, id);
      } catch (error) {
        throw explainFaults(error);
      }
    },
  };
}
