import { Argument, type Command } from 'commander';
import type { CliContext } from './cli-context.ts';
import { withJson } from './options.ts';
import type { Run } from './program.ts';

interface PluginOptions {
  readonly json?: boolean;
}

/** `plugin`: for those who write and choose plugins. Needs neither a config nor a server. */
export function addPluginCommands(program: Command, context: CliContext, run: Run): void {
  const plugin = program.command('plugin').description('Create, check and list plugins');
  const actions = () => import('./plugin-actions.ts');
  withJson(plugin.command('new'))
    .description(
      'Write a plugin that passes the suite of its kind: provider, storage, executor, router or authenticator',
    )
    .addArgument(
      new Argument('<kind>', 'Its kind').choices(['provider', 'storage', 'executor', 'router', 'authenticator']),
    )
    .argument('<name>', 'acme becomes patchbay-<kind>-acme; a scoped name stays as it is')
    .argument('[folder]', 'Default: one with the name of the package')
    .action((kind: string, name: string, folder: string | undefined, options: PluginOptions) =>
      run(async () => (await actions()).newPlugin(context, { kind, name, folder, ...options })),
    );
  withJson(plugin.command('check'))
    .description('Import a plugin and compare it with its package.json; exit code 1 on problems')
    .argument('<plugin>', 'A package, a folder such as . or a file that begins with ./')
    .action((use: string, options: PluginOptions) =>
      run(async () => (await actions()).checkPlugin(context, use, options)),
    );
  withJson(plugin.command('list'))
    .description('List the plugins that a config in this folder can mount by name, without running them')
    .action((options: PluginOptions) => run(async () => (await actions()).listPlugins(context, options)));
}
