import type { TestApp } from '../app/create-test-app.ts';

/** An API somewhere, and how to call it. */
export interface ApiUnderTest {
  /** Where the endpoints are, such as `http://127.0.0.1:4810/api`. */
  readonly url: string;
  /** A token with all scopes. */
  readonly token: string;
  /** Default: the global `fetch`. For hosts without a socket. */
  readonly fetch?: (request: Request) => Promise<Response>;
  /** Ids of the models to call. Default: `test/chat` and `test/embed`. */
  readonly models?: { readonly chat: string; readonly embeddings: string };
}

/** Where the API is served from, over an app of `createTestApp`. */
export interface ServedApi {
  readonly url: string;
  readonly fetch?: (request: Request) => Promise<Response>;
  /** Stop the host and its app, as the host is stopped in production. */
  stop(): Promise<void>;
}

export interface Asking {
  readonly body?: unknown;
  /** Sent as is. */
  readonly raw?: string | Uint8Array | ReadableStream<Uint8Array>;
  readonly headers?: Readonly<Record<string, string>>;
  /** Null: none. Default: that of the API. */
  readonly token?: string | null;
  readonly signal?: AbortSignal;
}

export interface Answer {
  readonly status: number;
  readonly headers: Headers;
  readonly text: string;
  readonly body: Readonly<Record<string, unknown>>;
}

/** An API with shorthands for requests. */
export interface ApiClient {
  readonly url: string;
  readonly models: { readonly chat: string; readonly embeddings: string };
  open(method: string, path: string, asking?: Asking): Promise<Response>;
  ask(method: string, path: string, asking?: Asking): Promise<Answer>;
  /** The path of a link in a response, without the API's own. */
  within(link: string | null): string;
}

export interface ApiSuite {
  readonly describe: (name: string, body: () => void) => void;
  readonly it: (name: string, body: (api: ApiClient) => Promise<void>) => void;
}

/** The same, for tests that also see inside the app. */
export interface HostSuite {
  readonly describe: (name: string, body: () => void) => void;
  readonly it: (name: string, body: (api: ApiClient, test: TestApp) => Promise<void>) => void;
}

export function createApiClient(api: ApiUnderTest): ApiClient {
  const { url, token: ownToken, fetch: send = fetch } = api;
  const open: ApiClient['open'] = (method, path, { body, raw, headers = {}, token = ownToken, signal } = {}) => {
    const payload = raw ?? (body === undefined ? undefined : JSON.stringify(body));
    const init = {
      method,
      headers: {
        ...(token !== null && { authorization: `Bearer ${token}` }),
        ...(payload !== undefined && { 'content-type': 'application/json' }),
        ...headers,
      },
      ...(payload !== undefined && { body: payload, duplex: 'half' }),
      ...(signal && { signal }),
    };
    return send(new Request(url + path, init as RequestInit));
  };
  return {
    url,
    models: api.models ?? { chat: 'test/chat', embeddings: 'test/embed' },
    open,
    async ask(...asking) {
      const response = await open(...asking);
      const text = await response.text();
      const isJson = /json/.test(response.headers.get('content-type') ?? '') && text !== '';
      return { status: response.status, headers: response.headers, text, body: isJson ? JSON.parse(text) : {} };
    },
    within(link) {
      const { pathname } = new URL(url);
      const prefix = pathname === '/' ? '' : pathname;
      if (!link?.startsWith(`${prefix}/`)) throw new Error(`${link} is not below ${prefix}`);
      return link.slice(prefix.length);
    },
  };
}
