import { createDynamicClient } from './dynamic/create-dynamic-client.ts';
import type { Declared, DynamicClient } from './dynamic/dynamic-client.ts';
import { createCallResolver } from './dynamic/resolve-call.ts';
import type { ClientConfig } from './http/client-config.ts';
import { baseUrlOf, createHttp, type Http } from './http/http.ts';
import { createEndpoints, type Endpoints } from './methods/endpoints.ts';

/** A client with one method per endpoint, and objects that call functions by name. */
export interface Client extends Endpoints {
  /** Send any request: for endpoints without a method here, and for response headers such as `ETag`. */
  readonly request: Http;
  /** Every name is a function of the server. */
  readonly ai: DynamicClient;
  /** The same with declared outputs. Throws `ShapeError` with the position in an invalid shape. */
  readonly AI: <const D extends Declared>(declared: D) => DynamicClient<D>;
}

/**
 * Create a client of the server at `baseUrl`. Sends no request.
 *
 * @example
 * ```ts
 * import { createClient } from '@patchbay/client';
 *
 * const client = createClient({ baseUrl: 'https://patchbay.example', apiKey: async () => 'a key' });
 * const ai = client.AI({ headline: { text: 'at most eight words', tone: 'bold | calm' } });
 * const { text, tone } = await ai.headline({ about: 'patch bays' });
 * const { data } = await client.models.list();
 * console.log(text, tone, data.length);
 * ```
 */
export function createClient(config: ClientConfig = {}): Client {
  const http = createHttp(config);
  const resolve = createCallResolver(http);
  const endpoints = createEndpoints(http);
  const parts = { ...endpoints, client: (): Client => client, resolve, url: () => baseUrlOf(config) };
  const client: Client = {
    ...endpoints,
    request: http,
    ai: createDynamicClient({}, parts),
    AI: (declared) => createDynamicClient(declared, parts),
  };
  return client;
}
