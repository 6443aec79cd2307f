import { computed, signal } from '@preact/signals';
import { ConnectionLost, errorOf } from './api-error.ts';
import { readEvents, type ServerEvent } from './event-stream.ts';
import { type Operations, routes, type Session } from './operations.generated.ts';

export type OperationName = keyof Operations;

type Part<T, K extends string> = keyof T extends never ? { readonly [P in K]?: T } : { readonly [P in K]: T };

/** The arguments of an operation: `path` and `body` if it has them, and `query`. */
export type RequestOf<N extends OperationName> = Part<Operations[N]['path'], 'path'> & {
  readonly query?: Operations[N]['query'];
  readonly headers?: Readonly<Record<string, string>>;
  readonly signal?: AbortSignal;
} & (Operations[N]['body'] extends undefined ? object : { readonly body?: Operations[N]['body'] });

interface LooseRequest {
  readonly path?: Readonly<Record<string, string>>;
  readonly query?: Readonly<Record<string, unknown>>;
  readonly body?: unknown;
  readonly headers?: Readonly<Record<string, string>>;
  readonly signal?: AbortSignal;
}

/** The path prefix of each area. */
export type Prefixes = Readonly<Record<string, string | undefined>>;

/** Calls operations of the server by name, with the types of its OpenAPI document. */
export class ApiClient {
  /** Requests in progress. */
  readonly pending = signal(0);
  /** Whether the last request did not reach the server. */
  readonly lost = signal(false);
  /** Who is signed in; `undefined`: not known yet; `null`: no one. */
  readonly session = signal<Session | undefined>(undefined);
  /** Whether the server has ended the last session: by timeout, or with its key. */
  readonly ended = signal(false);
  /** Incremented with each reconnection: what is shown may be stale. */
  readonly generation = signal(0);
  readonly #prefixes: Prefixes;
  readonly #scopes = computed(() => new Set(this.session.value?.scopes));

  constructor(prefixes: Prefixes) {
    this.#prefixes = prefixes;
  }

  /** Whether the scopes of the session allow an operation: what they do not allow is hidden. */
  may(name: OperationName): boolean {
    const [, , , ...needed] = partsOf(name);
    const scopes = this.#scopes.value;
    return needed.every((scope) => scopes.has(scope) || (scopes.has('*') && !operatorScopes.has(scope)));
  }

  /** The URL of an operation on this server. */
  url(name: OperationName, path: Readonly<Record<string, string>> = {}, query: LooseRequest['query'] = {}): string {
    const [area = '', , template = ''] = partsOf(name);
    const place = template.replaceAll(/([:*])(\w+)/g, (_, kind: string, part: string) => {
      const value = path[part] ?? '';
      return kind === '*' ? value.split('/').map(encodeURIComponent).join('/') : encodeURIComponent(value);
    });
    const given = Object.entries(query).filter(([, value]) => value !== undefined && value !== '');
    const search = new URLSearchParams(given.map(([key, value]) => [key, String(value)])).toString();
    return `${this.#prefixes[area] ?? ''}${place}${search === '' ? '' : `?${search}`}`;
  }

  /**
   * Call an operation, and read its JSON response.
   *
   * @throws ApiError the problem document of a refusal; ConnectionLost.
   */
  async call<N extends OperationName>(name: N, request: RequestOf<N>): Promise<Operations[N]['response']> {
    return (await this.read(name, request)).data;
  }

  /** As `call`, with the headers of the response: `ETag` goes into `If-Match` of a change. */
  async read<N extends OperationName>(
    name: N,
    request: RequestOf<N>,
  ): Promise<{ readonly data: Operations[N]['response']; readonly headers: Headers }> {
    return await this.#counted(async () => {
      const response = await this.#send(name, request);
      const data = (await response.json()) as Operations[N]['response'];
      return { data, headers: response.headers };
    });
  }

  /** Call an operation that streams. Ends with the stream; aborting the signal closes it. */
  async *events<N extends OperationName>(name: N, request: RequestOf<N>): AsyncGenerator<ServerEvent> {
    const headers = { accept: 'text/event-stream', ...request.headers };
    const response = await this.#send(name, { ...request, headers });
    if (response.body) yield* readEvents(response.body);
  }

  /** Send a request outside the table of operations, with the same credentials and checks. */
  async fetch(url: string, init: RequestInit = {}): Promise<Response> {
    const headers = new Headers(init.headers);
    // A page of another site cannot set this header.
    headers.set('Patchbay-Console', '1');
    let response: Response;
    try {
      response = await fetch(url, { credentials: 'same-origin', redirect: 'error', ...init, headers });
    } catch (error) {
      if (init.signal?.aborted) throw error;
      this.lost.value = true;
      throw new ConnectionLost();
    }
    if (this.lost.value) {
      this.lost.value = false;
      this.generation.value += 1;
    }
    return response;
  }

  /** The key of the session was revoked, or the session has ended. */
  end(): void {
    if (this.session.value) this.ended.value = true;
    this.session.value = null;
  }

  async #send(name: OperationName, request: LooseRequest): Promise<Response> {
    const [, method = 'GET'] = partsOf(name);
    const { path, query, body, headers, signal: cancel } = request;
    const response = await this.fetch(this.url(name, path, query), {
      method,
      headers: { ...(body !== undefined && { 'Content-Type': 'application/json' }), ...headers },
      ...(body !== undefined && { body: JSON.stringify(body) }),
      ...(cancel && { signal: cancel }),
    });
    if (response.ok) return response;
    const error = await errorOf(response);
    if (response.status === 401) this.end();
    throw error;
  }

  async #counted<T>(work: () => Promise<T>): Promise<T> {
    this.pending.value += 1;
    try {
      return await work();
    } finally {
      this.pending.value -= 1;
    }
  }
}

/** The scopes that `*` does not include. */
const operatorScopes = new Set(['keys:permanent', 'metrics:read', 'tenants:read']);

function partsOf(name: OperationName): readonly string[] {
  return routes[name].split(' ');
}
