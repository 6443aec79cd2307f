import { resolve } from 'node:path';
import type { Command } from 'commander';
import type { CliContext } from './cli-context.ts';
import { exitCodes, UsageError } from './cli-failure.ts';
import { confirmed } from './input.ts';
import type { KeysOptions, keysActions } from './keys-actions.ts';
import { budget, collect, integer, rateLimit, tenantName, withConfig, withJson, withServer } from './options.ts';
import type { Run } from './program.ts';
import type { RemoteOptions } from './remote.ts';
import type { AdmitStorage, OperatorCommand } from './run-operator-command.ts';

export interface OperatorOptions {
  readonly config?: string;
  readonly json?: boolean;
  readonly tenant?: string;
}

/** Commands that read or change what is stored have nothing to do in a storage that does not exist. */
const refuseNew: AdmitStorage = async ({ file, isNew }) => {
  if (!isNew) return true;
  const where = 'go to the folder of the server, or name its config with --config';
  throw new UsageError(`there is no config file here, and no storage at ${file}: ${where}`);
};

/** Run a command on the storage of the config, beside servers that run on it. */
export async function operate(
  context: CliContext,
  { config }: OperatorOptions,
  work: OperatorCommand['run'],
  { migrate = true, admit = refuseNew }: Pick<OperatorCommand, 'migrate' | 'admit'> = {},
): Promise<number> {
  const { runOperatorCommand } = await import('./run-operator-command.ts');
  const command = { config: config ?? (context.env['PATCHBAY_CONFIG'] || undefined), run: work, migrate, admit };
  return await runOperatorCommand(command, context);
}

export const onStorage = (command: Command): Command =>
  withConfig(command).option('--tenant <tenant>', 'Tenant. Default: default', tenantName);

const MAX_GRACE_SECONDS = 86_400;

/** `keys`, `audit`, `secrets` and `types`: on the storage of the config, without a server. */
export function addOperatorCommands(program: Command, context: CliContext, run: Run): void {
  const keys = program.command('keys').description('Manage API keys, on the machine of the server');
  const act =
    (name: keyof typeof keysActions) =>
    (options: OperatorOptions & Partial<KeysOptions>, id = '', admit = refuseNew) =>
      run(() =>
        operate(
          context,
          options,
          async (operator, output) => {
            const { explainFaults, keysActions: actions } = await import('./keys-actions.ts');
            const {
              tenant = 'default',
              json = false,
              scope = [],
              ip = [],
              expires,
              grace,
              rate,
              budget: money,
            } = options;
            const given = { tenant, json, scope, ip, name: options.name, expires, grace, rate, budget: money };
            try {
              return (await actions[name]?.(operator, output, given, id)) ?? 0;
            } catch (error) {
              throw explainFaults(error);
            }
          },
          { admit },
        ),
      );
  onStorage(withJson(keys.command('create')))
    .description('Create a key; prints its secret once, to standard output')
    .requiredOption('--name <text>', 'What the key is for')
    .requiredOption('--scope <scope>', 'What it may do, once for each scope; "*" is everything', collect)
    .option('--expires <time>', 'Expiry, such as 2027-01-31T12:00:00Z')
    .option('--ip <address>', 'Allowed address or network (CIDR); repeatable', collect)
    .option('--rate <requests/seconds>', 'Rate limit, such as 60/60, or with a burst 60/60:10', rateLimit)
    .option('--budget <usd/period>', 'Budget for models, such as 5/day or 12.50/month', budget)
    .option('-y, --yes', 'Create a new storage without confirmation; required if standard input is not a terminal')
    .action((options: OperatorOptions & { readonly yes?: boolean }) =>
      act('create')(options, '', async ({ file, isNew }) => {
        context.output.note(`storage: ${file}, of the built-in config: there is no config file here`);
        if (!isNew) return true;
        const question = 'This storage does not exist. Make it, and the key in it?';
        if (await confirmed(context, { yes: options.yes, question })) return true;
        context.output.note('nothing was made');
        return false;
      }),
    );
  onStorage(withJson(keys.command('list')))
    .description('List keys')
    .action((options) => act('list')(options));
  onStorage(withJson(keys.command('rotate')))
    .description('Rotate the secret of a key')
    .argument('<id>', 'Id of the key')
    .option(
      '--grace <seconds>',
      'How long the secret before is accepted',
      integer(0, MAX_GRACE_SECONDS),
      MAX_GRACE_SECONDS,
    )
    .action((id: string, options) => act('rotate')(options, id));
  onStorage(withJson(keys.command('revoke')))
    .description('Revoke a key')
    .argument('<id>', 'Id of the key')
    .option('-y, --yes', 'Skip the confirmation; required if standard input is not a terminal')
    .action(async (id: string, options: OperatorOptions & { readonly yes?: boolean }) => {
      const question = `Refuse ${id} from now on, for good?`;
      if (await confirmed(context, { yes: options.yes, question })) return await act('revoke')(options, id);
      return await run(async () => {
        context.output.note('nothing was revoked');
        return exitCodes.failure;
      });
    });

  const audit = program.command('audit').description('Inspect the audit log');
  withJson(withConfig(audit.command('verify')))
    .description('Verify that the audit log was not tampered with')
    .option('--tenant <tenant>', 'Tenant. Default: all', tenantName)
    .action(({ json = false, ...options }: OperatorOptions) =>
      run(() =>
        operate(context, options, async (operator, output) => {
          const { verifyAudit } = await import('./storage-actions.ts');
          return await verifyAudit(operator, output, { tenant: options.tenant, json });
        }),
      ),
    );

  const secrets = program.command('secrets').description('Manage encrypted secrets in the storage');
  withJson(withConfig(secrets.command('rewrap')))
    .description('Re-encrypt stored secrets with the current root secret')
    .action(({ json = false, ...options }: OperatorOptions) =>
      run(() =>
        operate(context, options, async (operator, output) => {
          const { rewrapSecrets } = await import('./storage-actions.ts');
          return await rewrapSecrets(operator, output, { json });
        }),
      ),
    );

  onStorage(withServer(program.command('types')))
    .description('Generate types of the functions for @patchbay/client; from the storage of the config without --url')
    .option('--out <file>', 'Default: standard output')
    .action((options: OperatorOptions & RemoteOptions & { readonly out?: string }) => {
      const { tenant = 'default', json = false } = options;
      const out = options.out === undefined ? undefined : resolve(context.cwd, options.out);
      if (options.url || context.env['PATCHBAY_URL']) {
        return run(async () => {
          const { remoteTypes } = await import('./functions/operator-functions.ts');
          return await remoteTypes(context, { ...options, out });
        });
      }
      return run(() =>
        operate(context, options, async (operator, output) => {
          const { storedTypes } = await import('./functions/operator-functions.ts');
          return await storedTypes(operator, output, { tenant, json, out });
        }),
      );
    });
}
