import { isDeepStrictEqual } from 'node:util';
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

/** Sends any body at all, with the correct length. */
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
 * The healthy JSON answer, changed. If `change` returns a string, it is sent as is. Streams are not changed:
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

/** Half of the JSON, with the correct length. */
export function truncatedJson(): Reply {
  return altered((json) => {
    const text = JSON.stringify(json);
    return text.slice(0, text.length / 2);
  });
}

/** Every string becomes a number, every list an object. */
export function wrongTypes(): Reply {
  return altered((json) =>
    mapValues(json, (_, value) => {
      if (typeof value === 'string') return 7;
      return Array.isArray(value) ? {} : value;
    }),
  );
}

/** No choice, no block, no candidate, no vector: the container of the answer is empty. */
export function noChoices(): Reply {
  return alteredWhere(other, { within: false }, (value) =>
    Array.isArray(value) ? [] : isObject(value) ? {} : undefined,
  );
}

/** `null` instead of the text or vector. */
export function nullContent(): Reply {
  return alteredWhere(other, { within: true }, () => null);
}

/** Negative numbers of tokens. */
export function negativeUsage(): Reply {
  return alteredWhere({ usage: more }, { within: true }, (value) => (typeof value === 'number' ? -1 : value));
}

/** A vector with a number that JSON can express and no double can hold. */
export function infiniteEmbedding(): Reply {
  return altered((json) => JSON.stringify(json).replace('0.5', '1e999'), { embedding: [0.5, 0.25] });
}

function withoutStream(request: UpstreamRequest): UpstreamRequest {
  const json = { ...(request.json as JsonObject), stream: false };
  return { ...request, json, path: request.path.replace(/[?&]alt=sse/, '') };
}

/** Says something other than the default answer, in words that no dialect knows by name. */
const other: UpstreamAnswer = { text: 'Something else.', embedding: [1, 0.5, -1, 0.25, 0.5, 0.125, -0.5, 0.0625] };
const more = {
  uncachedInputTokens: 1_000,
  cacheReadTokens: 100,
  cacheWriteTokens: 10,
  outputTokens: 2_000,
  reasoningTokens: 1,
};

/**
 * The healthy answer, changed where it would differ if the vendor said `answer` instead, so no dialect has to say where
 * it keeps its text or counts. The members changed are the outermost that differ, or the innermost with `within`.
 */
function alteredWhere(
  answer: UpstreamAnswer,
  { within }: { readonly within: boolean },
  change: (value: unknown) => unknown,
): Reply {
  return (exchange) => {
    const compared = exchange.dialect.answer(withoutStream(exchange.request), completeAnswer(answer));
    return altered((json) => {
      const changed = changeDifferences(json, compared, within, change);
      // A healthy answer in place of the fault would be held against the provider.
      if (isDeepStrictEqual(changed, json) && !isDeepStrictEqual(json, compared)) {
        throw new Error(
          `the dialect's answer was not changed: what differs in it is of another type than was looked for`,
        );
      }
      return changed;
    })(exchange);
  };
}

function changeDifferences(
  value: JsonObject,
  compared: unknown,
  within: boolean,
  change: (value: unknown) => unknown,
): JsonObject {
  const visit = (one: unknown, two: unknown): unknown => {
    if (isDeepStrictEqual(one, two)) return one;
    if (!within || !isObject(one)) return change(one);
    if (!Array.isArray(one)) return members(one, two);
    // A vector is replaced as a whole; counts in a list are each changed by themselves.
    const whole = one.some(isObject) ? one : change(one);
    return whole === one ? one.map((each, index) => visit(each, Array.isArray(two) ? two[index] : undefined)) : whole;
  };
  const members = (one: object, two: unknown) =>
    Object.fromEntries(
      Object.entries(one).map(([name, each]) => [
        name,
        visit(each, (two as { [name: string]: unknown } | undefined)?.[name]),
      ]),
    );
  return members(value, compared) as JsonObject;
}

function isObject(value: unknown): value is object {
  return typeof value === 'object' && value !== null;
}

/** `change` sees the outermost values first; what it replaces is not traversed. */
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
