import { fileURLToPath } from 'node:url';
import { type AppConfig, loadConfig, PatchbayError } from '@patchbay/core';
import type { Logger } from '@patchbay/core/plugin';
import type { Middleware } from 'koa';
import { loadMiddleware } from './load-middleware.ts';
import { type ServerConfig, serverConfigSchema } from './server-config.ts';
import { type WorkerConfig, workerConfigSchema } from './worker/worker-config.ts';

type Entries = Awaited<ReturnType<typeof loadConfig>>['entries'];

export interface LoadedServerConfig {
  readonly app: AppConfig;
  readonly server: ServerConfig;
  readonly worker: WorkerConfig;
  /** Middleware of the modules in `server.middleware`, in order. */
  readonly middleware: readonly Middleware[];
  /** Folder that relative paths in the config mean. */
  readonly directory: string;
  /** The file, or nothing for the built-in defaults. */
  readonly file: string | undefined;
  /** Every value with its source, and without secrets. */
  readonly entries: Entries;
}

interface Options {
  /** Default: `patchbay.config.*` in `cwd`, or else the built-in defaults. */
  readonly file: string | undefined;
  readonly cwd: string;
  readonly env: NodeJS.ProcessEnv;
  readonly logger: Logger;
  /** The file was loaded before, and may have been changed since. */
  readonly again?: boolean;
}

/** @throws PatchbayError `config_invalid` with every problem, each on a line. */
export async function loadServerConfig({
  file,
  cwd,
  env,
  logger,
  again = false,
}: Options): Promise<LoadedServerConfig> {
  const sections = { server: serverConfigSchema, worker: workerConfigSchema };
  let middleware: readonly Middleware[] = [];
  const load = async (name: string | undefined) =>
    await loadConfig({
      ...(name !== undefined && { file: name }),
      cwd,
      env,
      logger,
      again,
      sections,
      // The standard plugins come with the server, so a config need not be next to a node_modules that has them.
      bases: [import.meta.url],
      async check({ server }, importModule) {
        const modules = await loadMiddleware(server.middleware, importModule);
        middleware = modules.middleware;
        return modules.problems;
      },
    });
  const defaults = fileURLToPath(new URL('../default.yaml', import.meta.url));
  const found = file === undefined ? await load(undefined).catch(unlessNotFound) : await load(file);
  const loaded = found ?? (await load(defaults));
  return {
    app: loaded.app,
    server: { ...loaded.sections.server, ...fromEnvironment(env) },
    worker: loaded.sections.worker,
    middleware,
    directory: found?.directory ?? cwd,
    file: found?.file,
    entries: loaded.entries.map((entry) => overridden(entry, env)),
  };
}

function unlessNotFound(error: unknown): undefined {
  if (PatchbayError.is(error) && error.errors[0]?.code === 'config_not_found') return undefined;
  throw error;
}

/** HOST and PORT go before what the file says. */
function overridden(entry: Entries[number], env: NodeJS.ProcessEnv): typeof entry {
  const { path, value } = entry;
  const name = { 'server.host': 'HOST', 'server.port': 'PORT' }[path.join('.')];
  const given = name && env[name];
  return given ? { path, value: typeof value === 'number' ? Number(given) : given, source: name } : entry;
}

function fromEnvironment({ HOST: host, PORT: port }: NodeJS.ProcessEnv): Partial<ServerConfig> {
  if (port && !(/^\d{1,5}$/.test(port) && Number(port) <= 65_535)) {
    throw new PatchbayError('config_invalid', 'the environment variable PORT must be a number from 0 to 65535');
  }
  return { ...(host && { host }), ...(port && { port: Number(port) }) };
}
