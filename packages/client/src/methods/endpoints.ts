import type { RequestOptions } from '../http/client-config.ts';
import type { Http, HttpRequest } from '../http/http.ts';
import { pathSegment } from '../http/path-segment.ts';
import type { Execution, FunctionBody, FunctionPage, ListQuery, StoredFunction } from './function-types.ts';
import type {
  Chat,
  ChatBody,
  Embedding,
  EmbeddingBody,
  FunctionCall,
  FunctionCallingBody,
  Generation,
  GenerationBody,
  Model,
  ModelSummary,
} from './gateway-types.ts';

export type * from './function-types.ts';
export type * from './gateway-types.ts';

/** One method for each endpoint of the interface; what goes in and comes out is what the endpoint takes and answers. */
export interface Endpoints {
  /** `POST /generate` */
  readonly generate: (body: GenerationBody, options?: RequestOptions) => Promise<Generation>;
  /** `POST /chat` */
  readonly chat: (body: ChatBody, options?: RequestOptions) => Promise<Chat>;
  /** `POST /embeddings` */
  readonly embeddings: (body: EmbeddingBody, options?: RequestOptions) => Promise<Embedding>;
  /** `POST /function-calling` */
  readonly functionCalling: (body: FunctionCallingBody, options?: RequestOptions) => Promise<FunctionCall>;
  readonly models: {
    /** `GET /models` */
    readonly list: (options?: RequestOptions) => Promise<{ readonly data: readonly ModelSummary[] }>;
    /** `GET /models/:id`, such as `openai/gpt-4`. */
    readonly get: (id: string, options?: RequestOptions) => Promise<Model>;
  };
  readonly functions: {
    /** `GET /functions` */
    readonly list: (query?: ListQuery, options?: RequestOptions) => Promise<FunctionPage>;
    /** `GET /functions/:id` */
    readonly get: (id: string, options?: RequestOptions) => Promise<StoredFunction>;
    /** `POST /functions` */
    readonly create: (body: FunctionBody, options?: RequestOptions) => Promise<StoredFunction>;
    /** `PUT /functions/:id`: replaces the whole function. */
    readonly replace: (id: string, body: FunctionBody, options?: RequestOptions) => Promise<StoredFunction>;
    /** `DELETE /functions/:id` */
    readonly delete: (
      id: string,
      options?: RequestOptions,
    ) => Promise<{ readonly success: boolean; readonly message: string }>;
    /** `POST /functions/:id/execute` */
    readonly execute: (id: string, input?: object, options?: RequestOptions) => Promise<Execution>;
  };
}

export function createEndpoints(http: Http): Endpoints {
  const send = async <T>(
    method: HttpRequest['method'],
    path: string,
    body: unknown,
    options: RequestOptions = {},
  ): Promise<T> => (await http({ ...options, method, path, body })).json as T;
  const ofFunction = (id: string): string => `/functions/${pathSegment(id)}`;

  return {
    generate: (body, options) => send('POST', '/generate', body, options),
    chat: (body, options) => send('POST', '/chat', body, options),
    embeddings: (body, options) => send('POST', '/embeddings', body, options),
    functionCalling: (body, options) => send('POST', '/function-calling', body, options),
    models: {
      list: (options) => send('GET', '/models', undefined, options),
      // The slash between provider and name stays one.
      get: (id, options) => send('GET', `/models/${id.split('/').map(pathSegment).join('/')}`, undefined, options),
    },
    functions: {
      list: (query = {}, options) => send('GET', `/functions${queryOf(query)}`, undefined, options),
      get: (id, options) => send('GET', ofFunction(id), undefined, options),
      create: (body, options) => send('POST', '/functions', body, options),
      replace: (id, body, options) => send('PUT', ofFunction(id), body, options),
      delete: (id, options) => send('DELETE', ofFunction(id), undefined, options),
      execute: (id, input = {}, options) => send('POST', `${ofFunction(id)}/execute`, { input }, options),
    },
  };
}

function queryOf(query: ListQuery): string {
  const parameters = new URLSearchParams();
  for (const [name, value] of Object.entries(query)) if (value !== undefined) parameters.set(name, String(value));
  return parameters.size > 0 ? `?${parameters.toString()}` : '';
}
