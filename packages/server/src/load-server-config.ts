import { fileURLToPath } from 'node:url';
import { type AppConfig, loadConfig, PatchbayError } from '@patchbay/core';
import type { Logger } from '@patchbay/core/plugin';
import type { Middleware } from 'koa';
import { countProcesses, shareOf, sharingFaults } from './processes/share-config.ts';
import { type ServerConfig, serverConfigSchema, type WorkerConfig, workerConfigSchema } from './server-config.ts';

type Entries = Awaited<ReturnType<typeof loadConfig>>['entries'];

export interface LoadedServerConfig {
  readonly app: AppConfig;
  readonly server: ServerConfig;
  readonly worker: WorkerConfig;
  /** Middleware of the modules in `server.middleware`, in order. */
  readonly middleware: readonly Middleware[];
  /** Base directory for relative paths in the config. */
  readonly directory: string;
  /** The file, or nothing for the built-in defaults. */
  readonly file: string | undefined;
  /** Every value with its source, without secrets. */
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
  /** Load the share of one of this many processes. Default: all of it. */
  readonly share?: number;
}

/** @throws PatchbayError `config_invalid` with every problem, each on a line. */
export async function loadServerConfig(options: Options): Promise<LoadedServerConfig> {
  const { file, cwd, env, logger, again = false, share = 1 } = options;
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
      async check({ server }, importModule, app) {
        const mounts = server.middleware.map((mount, index) => loadMiddleware(mount, index, importModule));
        const loaded = await Promise.all(mounts);
        middleware = loaded.filter((one) => typeof one === 'function');
        const faults = countProcesses(server) === 1 ? [] : sharingFaults(app);
        const unshared = faults.map((message) => ({ path: ['server', 'processes'], code: 'unshared', message }));
        return [...loaded.filter((one) => typeof one !== 'function'), ...unshared];
      },
    });
  const defaults = fileURLToPath(new URL('../default.yaml', import.meta.url));
  const found = file === undefined ? await load(undefined).catch(unlessNotFound) : await load(file);
  const loaded = found ?? (await load(defaults));
  const whole = {
    app: loaded.app,
    server: { ...loaded.sections.server, ...fromEnvironment(env) },
    worker: loaded.sections.worker,
    middleware,
    directory: found?.directory ?? cwd,
    file: found?.file,
    entries: loaded.entries.map((entry) => overridden(entry, env)),
  };
  return await shareOf(whole, share);
}

function unlessNotFound(error: unknown): undefined {
  if (PatchbayError.is(error) && error.errors[0]?.code === 'config_not_found') return undefined;
  throw error;
}

/** HOST and PORT override the file. */
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

type Check = NonNullable<NonNullable<Parameters<typeof loadConfig>[0]>['check']>;
type ImportModule = Parameters<Check>[1];
type Problem = Awaited<ReturnType<Check>>[number];
type Mount = ServerConfig['middleware'][number];

/** Import a module of `server.middleware`, and call it with its options if it is a factory. */
async function loadMiddleware(
  { use, with: options }: Mount,
  index: number,
  importModule: ImportModule,
): Promise<Middleware | Problem> {
  const problem = (option: 'use' | 'with', message: string): Problem => {
    return { path: ['server', 'middleware', index, option], code: 'middleware_invalid', message };
  };
  let exported: unknown;
  try {
    exported = defaultExportOf(await importModule(use));
  } catch (error) {
    if (PatchbayError.is(error)) return problem('use', error.message);
    throw error;
  }
  if (typeof exported !== 'function') {
    return problem('use', `${use} has no function as its default export: export Koa middleware, or a factory of it`);
  }
  // Middleware takes the context and `next`; a function with fewer parameters could not pass a request to the API.
  const isFactory = options !== undefined || exported.length < 2;
  if (!isFactory) return exported as Middleware;
  let made: unknown;
  try {
    made = (exported as (options: object) => unknown)(options ?? {});
  } catch (error) {
    const option = options === undefined ? 'use' : 'with';
    return problem(option, `${use} cannot be created: ${messageWithout(options, error)}`);
  }
  if (typeof made === 'function') return made as Middleware;
  // An async function that is not a factory may fail after it was called.
  if (made instanceof Promise) made.catch(() => undefined);
  return problem('use', `${use} is a factory that returns no middleware: a function (context, next)`);
}

/** A CommonJS module that was compiled from ESM has its default export one level further in. */
function defaultExportOf(module: object): unknown {
  const exported: unknown = Reflect.get(module, 'default');
  if (typeof exported !== 'object' || exported === null) return exported;
  return Reflect.get(exported, 'default');
}

/** Messages of config problems repeat no values, which may be secrets. */
function messageWithout(options: object | undefined, error: unknown): string {
  const values: string[] = [];
  JSON.stringify(options, (_name, value: unknown) => {
    if (typeof value === 'string' && value !== '') values.push(value);
    return value;
  });
  const message = error instanceof Error ? error.message : 'it failed';
  return values.reduce((text, value) => text.replaceAll(value, '[option]'), message);
}
