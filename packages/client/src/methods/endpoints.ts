import type { RequestOptions } from '../http/client-config.ts';
import type { Http, HttpRequest } from '../http/http.ts';
import { pathSegment } from '../http/path-segment.ts';
import { createResultStream, type ResultStream } from '../http/result-stream.ts';
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
  /** `POST /generate`; with `stream: true`, the text while it is written. */
  readonly generate: Streamable<GenerationBody, Generation>;
  /** `POST /chat`; with `stream: true`, the answer while it is written. */
  readonly chat: Streamable<ChatBody, Chat>;
  /** `POST /embeddings` */
  readonly embeddings: (body: EmbeddingBody, options?: RequestOptions) => Promise<Embedding>;
  /**
   * `POST /function-calling`; with `stream: true`, the JSON text of the arguments while it is written. Each piece is all of
   * it so far, and shorter than the one before where they did not fit and the server asked again.
   */
  readonly functionCalling: Streamable<FunctionCallingBody, FunctionCall>;
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

/** Pieces of text: those of a completion add up to its text. `final()` gives the whole response. */
export type TextStream<Answer> = ResultStream<string, Answer>;

/** An endpoint whose answer can be read while it is written. */
export interface Streamable<Body, Answer> {
  (body: Body & { readonly stream: true }, options?: RequestOptions): TextStream<Answer>;
  (body: Body & { readonly stream?: false }, options?: RequestOptions): Promise<Answer>;
  (body: Body & { readonly stream?: boolean }, options?: RequestOptions): TextStream<Answer> | Promise<Answer>;
}

export function createEndpoints(http: Http): Endpoints {
  const send = async <T>(
    method: HttpRequest['method'],
    path: string,
    body: unknown,
    options: RequestOptions = {},
  ): Promise<T> => (await http({ ...options, method, path, body })).json as T;
  const post =
    <Body, Answer>(path: string) =>
    (body: Body, options?: RequestOptions): Promise<Answer> =>
      send('POST', path, body, options);
  const streamable = <Body extends object, Answer>(path: string, addsUp = true) =>
    ((body: Body & { readonly stream?: boolean }, options?: RequestOptions) => {
      if (!body.stream) return send('POST', path, body, options);
      return createResultStream(http({ ...options, method: 'POST', path, body }), {
        pieceOf: (document, before = '') => (addsUp ? '' : before) + textOf(document),
        addsUp,
        finish: (answer) => answer as Answer,
      });
    }) as Streamable<Body, Answer>;
  const ofFunction = (id: string): string => `/functions/${pathSegment(id)}`;

  return {
    generate: streamable('/generate'),
    chat: streamable('/chat'),
    embeddings: post('/embeddings'),
    functionCalling: streamable('/function-calling', false),
    models: {
      list: (options) => send('GET', '/models', undefined, options),
      // The slash between provider and name stays one.
      get: (id, options) => send('GET', `/models/${id.split('/').map(pathSegment).join('/')}`, undefined, options),
    },
    functions: {
      list: (query = {}, options) => send('GET', `/functions${queryOf(query)}`, undefined, options),
      get: (id, options) => send('GET', ofFunction(id), undefined, options),
      create: post('/functions'),
      replace: (id, body, options) => send('PUT', ofFunction(id), body, options),
      delete: (id, options) => send('DELETE', ofFunction(id), undefined, options),
      execute: (id, input = {}, options) => send('POST', `${ofFunction(id)}/execute`, { input }, options),
    },
  };
}

/** Of a delta, or of a whole answer. */
function textOf(document: unknown): string {
  const { text, message, functionCall } = document as Partial<Generation & Chat & FunctionCall>;
  return text ?? message?.content ?? (functionCall ? JSON.stringify(functionCall.arguments) : '');
}

function queryOf(query: ListQuery): string {
  const given = Object.entries(query).filter(([, value]) => value !== undefined);
  return given.length > 0 ? `?${new URLSearchParams(given).toString()}` : '';
}
