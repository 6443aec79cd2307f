import type { Command } from 'commander';
import type { CliContext } from './cli-context.ts';
import { type OperatorOptions, operate } from './operator-commands.ts';
import { tenantName, withConfig, withJson } from './options.ts';
import type { Run } from './program.ts';

interface RestoreOptions extends OperatorOptions {
  readonly skipPresent?: boolean;
  readonly anySecret?: boolean;
}

/** `migrate`, `export`, `import`, `backup` and `restore`: on the storage of the config, without a server. */
export function addStorageCommands(program: Command, context: CliContext, run: Run): void {
  const actions = () => import('./storage-actions.ts');
  const work = (options: OperatorOptions, action: Parameters<typeof operate>[2], migrate?: boolean) =>
    run(() =>
      operate(context, options, action, { ...(migrate !== undefined && { migrate }), admit: async () => true }),
    );

  const migrate = program.command('migrate').description('Migrate the schema of the storage');
  withJson(withConfig(migrate.command('status')))
    .description('List pending migrations; exit code 5 if there are any')
    .action((options: OperatorOptions) =>
      work(options, async (...given) => (await actions()).migrationStatus(...given, options), false),
    );
  withJson(withConfig(migrate.command('up')))
    .description('Run the pending migrations, for configs with autoMigrate: false')
    .action((options: OperatorOptions) =>
      work(options, async (...given) => (await actions()).migrateUp(...given, options), false),
    );

  const writes = (name: string, everything: boolean, description: string) =>
    withJson(withConfig(program.command(name)))
      .description(description)
      .argument('[file]', 'Output file. Default: standard output')
      .option('--tenant <tenant>', 'Tenant. Default: all tenants', tenantName)
      .action((file: string | undefined, options: OperatorOptions) =>
        work(options, async (operator, output) =>
          (await actions()).writeDump(operator, output, { ...options, everything, file, context }),
        ),
      );
  const reads = (name: string, everything: boolean, description: string): Command =>
    withJson(withConfig(program.command(name)))
      .description(description)
      .argument('<file>', 'Input file; - for standard input')
      .option('--skip-present', 'Skip existing entries')
      .action((file: string, options: RestoreOptions) =>
        work(options, async (operator, output) =>
          (await actions()).readDump(operator, output, { ...options, everything, file, context }),
        ),
      );
  writes('export', false, 'Write functions with their versions and settings, to be imported elsewhere');
  reads('import', false, 'Store what export has written; ids stay as they were');
  writes('backup', true, 'Write everything that is stored. Stop the servers first: what changes meanwhile may be torn');
  reads(
    'restore',
    true,
    'Store what backup has written, in an empty storage; the root secret has to be the same',
  ).option('--any-secret', 'Accept a backup with another root secret; its keys and encrypted secrets are unusable');
}
