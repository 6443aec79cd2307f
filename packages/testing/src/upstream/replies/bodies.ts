import type { JsonObject } from '@patchbay/core/plugin';
import { isStream } from '../dialects/dialect.ts';
import { type Reply, respond } from '../exchange.ts';
import { completeAnswer, type UpstreamAnswer } from '../upstream-answer.ts';
import type { UpstreamRequest } from '../upstream-request.ts';
import { healthy, respondJson } from './healthy.ts';

export interface BodyOptions {
  readonly status?: number;
  /** Default: `application/json`. */
  readonly contentType?: string;
  readonly headers?: Readonly<Record<string, string>>;
}

/** Sends any body at all, with a length that is right. */
export function body(content: string | Uint8Array, options: BodyOptions = {}): Reply {
  const { status = 200, contentType = 'application/json', headers = {} } = options;
  return (exchange) =>
    respond(exchange, { status, body: content, headers: { 'content-type': contentType, ...headers } });
}

/** A page, as a captive portal or a load balancer would send. */
export function html(): Reply {
  return body('<!doctype html><title>Welcome</title><p>Please sign in.</p>', { contentType: 'text/html' });
}

export function noContent(): Reply {
  return (exchange) => respond(exchange, { status: 204 });
}

/**
 * The healthy JSON answer, changed. Where `change` returns a string, that is sent as it is. Streams are not changed:
 * a request for one gets the JSON.
 */
export function altered(change: (body: JsonObject) => unknown, answer: UpstreamAnswer = {}): Reply {
  return (exchange) => {
    if (exchange.dialect.refuse(exchange.request)) return healthy()(exchange);
    const result = exchange.dialect.answer(withoutStream(exchange.request), completeAnswer(answer));
    if (isStream(result)) throw new Error('the dialect streams to who asked for JSON');
    const changed = change(result);
    return typeof changed === 'string'
      ? respond(exchange, { body: changed, headers: { 'content-type': 'application/json' } })
      : respondJson(exchange, changed);
  };
}

/** Half of the JSON, with a length that is right. */
export function truncatedJson(): Reply {
  return altered((json) => {
    const text = JSON.stringify(json);
    return text.slice(0, text.length / 2);
  });
}

/** Every text a number, every list an object. */
export function wrongTypes(): Reply {
  return altered((json) =>
    mapValues(json, (_, value) => {
      if (typeof value === 'string') return 7;
      return Array.isArray(value) ? {} : value;
    }),
  );
}

/** No choice, no block, no candidate, no vector. */
export function noChoices(): Reply {
  const lists = new Set(['choices', 'content', 'candidates', 'data', 'values', 'embedding', 'embeddings']);
  return altered((json) => mapValues(json, (name, value) => (lists.has(name) ? [] : value)));
}

/** Where the text should be, `null`. */
export function nullContent(): Reply {
  return altered((json) =>
    mapValues(json, (name, value) => {
      const isText = name === 'text' || (name === 'content' && typeof value === 'string');
      return isText || name === 'values' || name === 'embedding' ? null : value;
    }),
  );
}

/** Fewer tokens than none. */
export function negativeUsage(): Reply {
  return altered((json) =>
    mapValues(json, (name, value) => (/token/i.test(name) && typeof value === 'number' ? -1 : value)),
  );
}

/** A vector with a number that JSON can write and no computer can hold. */
export function infiniteEmbedding(): Reply {
  return altered((json) => JSON.stringify(json).replace('0.5', '1e999'), { embedding: [0.5, 0.25] });
}

function withoutStream(request: UpstreamRequest): UpstreamRequest {
  const json = { ...(request.json as JsonObject), stream: false };
  return { ...request, json, path: request.path.replace(/[?&]alt=sse/, '') };
}

/** `change` sees the outermost values first; what it replaces is not looked into. */
function mapValues(value: unknown, change: (name: string, value: unknown) => unknown): unknown {
  if (Array.isArray(value)) return value.map((each) => mapValues(each, change));
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value).map(([name, each]) => {
      const changed = change(name, each);
      return [name, changed === each ? mapValues(each, change) : changed];
    }),
  );
}
