import { createClient } from './client.ts';
import type { Declared, DynamicClient } from './dynamic/dynamic-client.ts';
import type { ClientConfig } from './http/client-config.ts';

/**
 * Every name is a function of the server at `PATCHBAY_URL`, called with the key in `PATCHBAY_API_KEY`.
 *
 * @example
 * ```ts
 * import { ai } from '@patchbay/client';
 *
 * const summary = await ai['summarize']({ text: 'A long text.' });
 * ```
 */
export const ai: DynamicClient = /* @__PURE__ */ (() => createClient().ai)();

/**
 * The same with declared outputs, which are typed and enforced by the server.
 *
 * @example
 * ```ts
 * import { AI } from '@patchbay/client';
 *
 * const ai = AI({ leanCanvas: { productName: 'name of the product', problem: ['top 3 problems'], year: '(integer)' } });
 * const { productName, problem, year } = await ai.leanCanvas({ idea: 'a museum of patch bays' });
 * console.log(productName.length, problem[0], year + 1);
 * ```
 *
 * @throws ShapeError with the position in an invalid shape.
 */
export function AI<const D extends Declared>(declared: D, config: ClientConfig = {}): DynamicClient<D> {
  return createClient(config).AI(declared);
}

export { type Client, createClient } from './client.ts';
export type { Call, CallMeta, CallResult, CallStream, Partially, Score } from './dynamic/call.ts';
export type { CallOptions, SharedOptions } from './dynamic/call-options.ts';
export type {
  AnyInput,
  AnyOutput,
  Declared,
  DynamicClient,
  DynamicFunction,
  TypedClient,
  TypedFunction,
} from './dynamic/dynamic-client.ts';
export {
  APIError,
  ConnectionError,
  ExecutionError,
  type Fault,
  OutputInvalidError,
  PatchbayError,
  type Problem,
  TimeoutError,
} from './errors.ts';
export type { ClientConfig, RequestOptions } from './http/client-config.ts';
export type { Http, HttpReply, HttpRequest } from './http/http.ts';
export type { ResultStream } from './http/result-stream.ts';
export type * from './methods/endpoints.ts';
export type { OutputOf, OutputShape } from './shape/output.ts';
export type { StandardIssue, StandardSchema } from './shape/schema.ts';
export { ShapeError } from './shape/shape.ts';
