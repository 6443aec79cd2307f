import type { Action, CliContext } from './cli/cli-context.ts';
import { type ConfigOptions, configOf } from './cli/options.ts';
import { logFormat, readableLog } from './readable-log.ts';

interface ListenOptions extends ConfigOptions {
  readonly host?: string;
  readonly port?: number;
}

/** Options of the command line take precedence over the config, as environment variables do. */
const withListen = ({ host, port }: ListenOptions, { env }: CliContext): NodeJS.ProcessEnv => ({
  ...env,
  ...(host && { HOST: host }),
  ...(port !== undefined && { PORT: String(port) }),
});

/** Machines that collect the log read JSON; at a terminal a person reads it. */
const formatFor = ({ json = false }: ConfigOptions, { env }: CliContext) => logFormat(process.stdout, { env, json });

export const serve: Action<ListenOptions> = async (context, options) => {
  const { cwd, isInteractive } = context;
  const given = { cwd, isInteractive, config: configOf(options, context), env: withListen(options, context) };
  await context.goOn(
    async (parts) => (await import('./start.ts')).start({ ...given, ...parts }),
    formatFor(options, context),
  );
};

export const work: Action<ListenOptions> = async (context, options) => {
  const { cwd, env } = context;
  const { host, port } = options;
  const listen = { ...(host !== undefined && { host }), ...(port !== undefined && { port }) };
  const given = { cwd, env, config: configOf(options, context), listen };
  await context.goOn(
    async (parts) => (await import('./start-worker.ts')).startWorker({ ...given, ...parts }),
    formatFor(options, context),
  );
};

interface DevelopOptions extends ListenOptions {
  readonly dir: string;
  readonly test: boolean;
}

export const develop: Action<DevelopOptions> = async (context, options) => {
  const { cwd } = context;
  const { dir, test, json } = options;
  const given = { context, cwd, dir, test, config: configOf(options, context), env: withListen(options, context) };
  await context.goOn(
    async (parts) => (await import('./dev/start-development.ts')).startDevelopment({ ...given, ...parts }),
    json ? undefined : readableLog(process.stdout.isTTY && !context.env['NO_COLOR']),
  );
};
