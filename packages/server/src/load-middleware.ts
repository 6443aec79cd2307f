import type { loadConfig } from '@patchbay/core';
import { PatchbayError } from '@patchbay/core/plugin';
import type { Middleware } from 'koa';
import type { ServerConfig } from './server-config.ts';

type Check = NonNullable<NonNullable<Parameters<typeof loadConfig>[0]>['check']>;
type ImportModule = Parameters<Check>[1];
type Problem = Awaited<ReturnType<Check>>[number];
type Mount = ServerConfig['middleware'][number];

export interface LoadedMiddleware {
  /** Those without a problem, in the order of the config. */
  readonly middleware: readonly Middleware[];
  readonly problems: readonly Problem[];
}

/** Import the modules of `server.middleware`, and call those that are factories with their options. */
export async function loadMiddleware(mounts: readonly Mount[], importModule: ImportModule): Promise<LoadedMiddleware> {
  const loaded = await Promise.all(mounts.map((mount, index) => loadOne(mount, index, importModule)));
  return {
    middleware: loaded.flatMap((one) => (typeof one === 'function' ? [one] : [])),
    problems: loaded.flatMap((one) => (typeof one === 'function' ? [] : [one])),
  };
}

async function loadOne(
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
  // Middleware takes the context and the next one; whatever takes less could not let a request reach the API.
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
  // An async function that is no factory may fail after it was called.
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
