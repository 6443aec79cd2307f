import type { Command } from 'commander';
import type { CliContext } from './cli-context.ts';
import { integer, withConfig, withJson } from './options.ts';
import type { Run } from './program.ts';

interface ListenOptions {
  readonly config?: string;
  readonly host?: string;
  readonly port?: number;
}

const configOf = ({ config }: { readonly config?: string }, { env }: CliContext): string | undefined =>
  config ?? (env['PATCHBAY_CONFIG'] || undefined);

const withListen = ({ host, port }: ListenOptions, { env }: CliContext): NodeJS.ProcessEnv => ({
  ...env,
  ...(host && { HOST: host }),
  ...(port !== undefined && { PORT: String(port) }),
});

/** `serve`, `dev`, `worker`, `init`, `doctor` and `config`: what is about the server on this machine. */
export function addServerCommands(program: Command, context: CliContext, run: Run, hasDefault: boolean): void {
  const listening = (command: Command) =>
    withConfig(command)
      .option('--host <address>', 'Address to listen on; overrides the config')
      .option('--port <port>', 'Port to listen on, 0 for any free one; overrides the config', integer(0, 65_535));

  const logging = (command: Command) => command.option('--json', 'Write the log as JSON even at a terminal');

  logging(listening(program.command('serve', { isDefault: hasDefault })))
    .description('Start the server')
    .action((options: ListenOptions & { readonly json?: boolean }) =>
      run(async () => {
        const { json = false } = options;
        await context.serve(configOf(options, context), withListen(options, context), { json });
        return 0;
      }),
    );

  withJson(listening(program.command('dev')))
    .description('Start a development server that watches its config, local plugins and the folder of functions')
    .option('--dir <folder>', 'Folder with one subfolder per function; each is pushed on save', 'functions')
    .option('--no-test', 'Do not run tests.yaml after a push')
    .action((options: ListenOptions & { readonly dir: string; readonly test: boolean; readonly json?: boolean }) =>
      run(async () => {
        const { dir, test, json = false } = options;
        const command = { config: configOf(options, context), dir, test, json };
        await context.develop(command, withListen(options, context));
        return 0;
      }),
    );

  logging(listening(program.command('worker')))
    .description('Run queued jobs; serves only /healthz, /readyz and /metrics')
    .action((options: ListenOptions & { readonly json?: boolean }) =>
      run(async () => {
        const { host, port, json = false } = options;
        const listen = { ...(host !== undefined && { host }), ...(port !== undefined && { port }) };
        await context.work({ config: configOf(options, context), listen, json });
        return 0;
      }),
    );

  withJson(program.command('init'))
    .description('Create a config file and an example function; keeps existing files')
    .argument('[folder]', 'Target folder', '.')
    .action((folder: string, options: { readonly json?: boolean }) =>
      run(async () => (await import('./init.ts')).init(context, folder, options)),
    );

  withJson(withConfig(program.command('doctor')))
    .description('Check Node, the config, the store, the jail of functions, the providers, the clock and the port')
    .action((options: { readonly config?: string; readonly json?: boolean }) =>
      run(async () => {
        const { doctor } = await import('./doctor.ts');
        return await doctor(context, { config: configOf(options, context), json: options.json === true });
      }),
    );

  const config = program.command('config').description('Inspect the config');
  const about = (name: string, description: string) => {
    const command = withJson(withConfig(config.command(name))).description(description);
    command.action((options: { readonly config?: string; readonly json?: boolean }) =>
      run(async () => {
        const actions = await import('./config-actions.ts');
        const action = actions.configActions[name as keyof typeof actions.configActions];
        return await action(context, { config: configOf(options, context), json: options.json === true });
      }),
    );
  };
  about('print', 'Print every value with its source, without secrets');
  about('validate', 'Report every problem with line and column');
  about('docs', 'Print every option of the config and its plugins as Markdown');
  about('schema', 'Print a JSON Schema of config files for editors');
}
