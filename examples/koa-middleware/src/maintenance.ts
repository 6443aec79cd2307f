import type { Middleware } from 'koa';

export interface MaintenanceOptions {
  readonly paths: readonly string[];
  readonly message: string;
}

/** A factory: called with the options that the config has under `with`. */
export default function maintenance({ paths, message }: MaintenanceOptions): Middleware {
  return async (context, next) => {
    if (!paths.includes(context.path)) return await next();
    context.status = 503;
    context.set('Retry-After', '600');
    context.body = { maintenance: message };
  };
}
