import type { Command } from 'commander';
import type { Action, CliContext } from './cli-context.ts';
import type { DeleteOptions } from './functions/function-actions.ts';
import type { SyncOptions } from './functions/push.ts';
import { type OperatorOptions, onStorage, operate } from './operator-commands.ts';
import { withServer } from './options.ts';
import type { Run } from './program.ts';
import type { RemoteOptions } from './remote.ts';

type LocalOrRemote = RemoteOptions & OperatorOptions;

/** `functions`: what a server has stored, and folders of files of the same. */
export function addFunctionCommands(program: Command, context: CliContext, run: Run): void {
  const functions = program.command('functions').description('Manage functions, on a server and as files');
  const remote = (name: string, description: string) => withServer(functions.command(name)).description(description);
  const perform = <O>(load: () => Promise<Action<O>>, options: O) =>
    run(async () => await (await load())(context, options));

  remote('list', 'List the functions of the server: key, last change, id, name').action((options: RemoteOptions) =>
    perform(async () => (await import('./functions/function-actions.ts')).list, options),
  );
  remote('get', 'Show a function with its settings, as JSON')
    .argument('<function>', 'Its name, key or id')
    .action((name: string, options: RemoteOptions) =>
      perform(async () => (await import('./functions/function-actions.ts')).get(name), options),
    );
  remote('run', 'Run a function: a stored one by name or id, or ./a/folder, which is not stored')
    .argument('<function>', 'Its name, key or id; or a path that begins with . or /')
    .option('-i, --input <json>', 'The input: JSON, @file, or - for standard input', '{}')
    .action((name: string, options: RemoteOptions & { readonly input: string }) =>
      perform(async () => (await import('./functions/run.ts')).run(name), options),
    );
  const synced = (name: string, description: string) =>
    remote(name, description).option('--dir <folder>', 'Folder with one subfolder per function', 'functions');
  const writing = (name: string, description: string) =>
    synced(name, description)
      .option('--force', 'Overwrite changes made on the other side')
      .option('--dry-run', 'Print the changes without applying them');
  writing('push', 'Store the functions of the folder on the server')
    .argument('[key...]', 'Functions to include. Default: all')
    .action((keys: readonly string[], options: SyncOptions) =>
      perform(async () => (await import('./functions/push.ts')).push(keys), options),
    );
  writing('pull', 'Write the functions of the server into the folder')
    .argument('[function...]', 'Functions to include, by name or key. Default: all')
    .action((names: readonly string[], options: SyncOptions) =>
      perform(async () => (await import('./functions/pull.ts')).pull(names), options),
    );
  synced('diff', 'Show what push would change; exit code 5 on differences')
    .argument('[key...]', 'Functions to include. Default: all')
    .action((keys: readonly string[], options: SyncOptions) =>
      perform(async () => (await import('./functions/push.ts')).diff(keys), options),
    );
  synced('test', 'Run the tests.yaml of functions, with their code from the folder')
    .argument('[key...]', 'Functions to include. Default: all')
    .option('--deployed', 'Test the stored functions; creates executions and may call models')
    .action((keys: readonly string[], options: SyncOptions) =>
      perform(async () => (await import('./functions/test.ts')).test(keys), options),
    );
  remote('logs', 'Show the logs of an execution, and follow it while it runs')
    .argument('<execution>', 'ID of an execution; or a function, for its last execution')
    .action((name: string, options: RemoteOptions) =>
      perform(async () => (await import('./functions/function-actions.ts')).logs(name), options),
    );
  remote('set', 'Change settings of a function, such as temperature=0.2')
    .argument('<function>', 'Its name, key or id')
    .argument('<setting=value...>', 'JSON, text, or @file; nothing after = removes a setting')
    .action((name: string, assignments: readonly string[], options: RemoteOptions) =>
      perform(async () => (await import('./functions/function-actions.ts')).set(name, assignments), options),
    );
  remote('delete', 'Delete a function of the server; its folder stays')
    .argument('<function>', 'Its name, key or id')
    .option('-y, --yes', 'Skip the confirmation; required if standard input is not a terminal')
    .action((name: string, options: DeleteOptions) =>
      perform(async () => (await import('./functions/function-actions.ts')).remove(name), options),
    );

  // Without the address of a server, on the storage of the config: a name must be observed, not served, for that.
  const either = (name: 'promote' | 'explain', description: string) =>
    onStorage(remote(name, `${description}; on the storage of the config where neither --url nor PATCHBAY_URL is set`))
      .argument('<name>', 'Name of the function')
      .action((given: string, options: LocalOrRemote) => {
        if (options.url || context.env['PATCHBAY_URL']) {
          return perform(async () => (await import('./functions/function-actions.ts'))[name](given), options);
        }
        return run(() =>
          operate(context, options, async (operator, output) => {
            const { functionsActions } = await import('./functions/operator-functions.ts');
            const { tenant = 'default', json = false } = options;
            return (await functionsActions[name]?.(operator, output, { tenant, json }, given)) ?? 0;
          }),
        );
      });
  either('promote', 'Store a function of a name that was called although none has it');
  either('explain', 'Show what a call of the name would use, each value with its source');
}
