import { createRequire } from 'node:module';
import type Router from '@koa/router';
import type { DefaultState } from 'koa';

/** A router that matches paths as written. Loaded where it is used: a server without middleware has no routes. */
export function koaRouter<State = DefaultState>(): Router<State> {
  // The CommonJS build: the ES module imports `node:http`.
  const KoaRouter = createRequire(import.meta.url)('@koa/router') as typeof Router;
  return new KoaRouter<State>({ strict: true, sensitive: true });
}
