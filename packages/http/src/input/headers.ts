import { PatchbayError } from '@patchbay/core';
import type { RequestContext } from '@patchbay/core/plugin';
import type { IncomingRequest } from '../incoming-request.ts';
import { refuseTokenInQuery } from './caller.ts';

const MAX_TARGET_LENGTH = 8_192;

/** The two parts of a request target. */
export interface Target {
  readonly path: string;
  /** Without the question mark. */
  readonly query: string;
}

export function targetOf({ target }: Pick<IncomingRequest, 'target'>): Target {
  const question = target.indexOf('?');
  return question < 0
    ? { path: target, query: '' }
    : { path: target.slice(0, question), query: target.slice(question + 1) };
}

/** @throws PatchbayError `invalid_request`, `uri_too_long`: what is invalid for every endpoint. */
export function checkHead(request: IncomingRequest): void {
  const { target, headFault } = request;
  if (headFault !== undefined) throw new PatchbayError('invalid_request', headFault);
  if (target.length > MAX_TARGET_LENGTH) {
    throw new PatchbayError('uri_too_long', `at most ${MAX_TARGET_LENGTH} characters are accepted`);
  }
  // A proxy and this server could read different hosts from an absolute target.
  if (!target.startsWith('/')) throw new PatchbayError('invalid_request', 'the request target must be a path');
  // Some implementations remove it, others treat it as part of the path.
  if (target.includes('#')) throw new PatchbayError('invalid_request', 'the request target must not have a fragment');
  refuseTokenInQuery(targetOf(request).query);
}

const traceparent = /^[0-9a-f]{2}-[0-9a-f]{32}-[0-9a-f]{16}-[0-9a-f]{2}$/;

/** The caller's W3C Trace Context. Malformed values are left out, as the standard requires. */
export function readTrace(request: IncomingRequest): RequestContext['trace'] {
  const parent = request.header('traceparent');
  if (parent === undefined || !traceparent.test(parent)) return undefined;
  const state = request.header('tracestate');
  if (state === undefined || state.length > 512) return { traceparent: parent };
  return { traceparent: parent, tracestate: state };
}

/** Returns the prefix that was stripped from a request's path: the configured one, else the host's. */
export function createMountPath(configured: string | undefined): (request: IncomingRequest) => string {
  if (configured === undefined) return ({ mountPath }) => mountPath;
  if (!/^(?:\/[\w.~-]+)*$/.test(configured)) {
    throw new TypeError(
      `mountPath must be empty or a path such as /patchbay, without a trailing slash, not ${configured}`,
    );
  }
  return () => configured;
}

const list = /^\s*(?:W\/)?"[^"\p{Cc}]*"(?:\s*,\s*(?:W\/)?"[^"\p{Cc}]*")*\s*$/u;
const tags = /(W\/)?"([^"]*)"/g;

type ReadHeader = (name: string) => string | undefined;

/** The entity tag of a revision. */
export function entityTag(revision: number): string {
  return `"${revision}"`;
}

/** Whether `If-None-Match` shows that the caller has this revision: weak comparison (RFC 9110, section 13.1.2). */
export function isNotModified(header: ReadHeader, revision: number): boolean {
  const value = header('if-none-match');
  if (value === undefined) return false;
  return value.trim() === '*' || parse(value, 'If-None-Match').some(({ tag }) => tag === String(revision));
}

/**
 * The revision that a write depends on, from `If-Match`: strong comparison (RFC 9110, section 13.1.1), so a weak tag
 * never matches. In a list, one must be the revision that `current` resolves to; a single tag needs no lookup. `*`
 * only requires that the resource exists, as every write does.
 *
 * @throws PatchbayError `precondition_failed`, `invalid_request`, and what `current` throws.
 */
export async function requiredRevision(
  header: ReadHeader,
  current: () => Promise<{ readonly revision: number }>,
): Promise<number | undefined> {
  const value = header('if-match');
  if (value === undefined || value.trim() === '*') return undefined;
  const given = parse(value, 'If-Match');
  const [only] = given;
  if (given.length === 1 && only && !only.weak && /^[1-9]\d{0,14}$/.test(only.tag)) return Number(only.tag);
  const { revision } = await current();
  if (given.some(({ weak, tag }) => !weak && tag === String(revision))) return revision;
  throw new PatchbayError('precondition_failed', 'the resource was changed since it was read; read it again');
}

function parse(value: string, header: string): { weak: boolean; tag: string }[] {
  // A long list is guessing, not a condition.
  if (value.length > 1_000 || !list.test(value)) {
    throw new PatchbayError('invalid_request', `${header} must be * or a list of entity tags such as "1"`);
  }
  return [...value.matchAll(tags)].map(([, weak, tag = '']) => ({ weak: weak !== undefined, tag }));
}

/**
 * Whether a `Prefer` header asks for this preference, whatever its value (RFC 7240, section 2). What cannot be parsed is
 * not a preference: the standard says to ignore it.
 */
export function prefers(header: string | undefined, preference: string): boolean {
  if (header === undefined) return false;
  return splitOutsideQuotes(header).some((part) => {
    const [, name] = /^\s*([\w!#$%&'*+.^`|~-]+)\s*(?:[=;]|$)/.exec(part) ?? [];
    return name?.toLowerCase() === preference;
  });
}

function splitOutsideQuotes(text: string): readonly string[] {
  const parts: string[] = [];
  let start = 0;
  let quoted = false;
  for (let index = 0; index < text.length; index += 1) {
    const char = text[index];
    if (char === '\\' && quoted) index += 1;
    else if (char === '"') quoted = !quoted;
    else if (char === ',' && !quoted) {
      parts.push(text.slice(start, index));
      start = index + 1;
    }
  }
  return [...parts, text.slice(start)];
}

/**
 * Whether a client would rather have one media type than another (RFC 9110, section 12.5.1). Without a header, and if
 * both are equally welcome, it would not.
 */
export function prefersType(header: string | undefined, type: string, other: string): boolean {
  if (header === undefined) return false;
  const ranges = header.split(',').map(readRange);
  return weight(ranges, type) > weight(ranges, other);
}

interface Range {
  readonly type: string;
  readonly weight: number;
}

function readRange(text: string): Range {
  const [type = '', ...parameters] = text.split(';').map((part) => part.trim().toLowerCase());
  const [, q] =
    parameters.map((parameter) => /^q=(0(?:\.\d{0,3})?|1(?:\.0{0,3})?)$/.exec(parameter)).find(Boolean) ?? [];
  return { type, weight: q === undefined ? 1 : Number(q) };
}

/** The weight of the most specific range that contains a type. */
function weight(ranges: readonly Range[], type: string): number {
  const [family = ''] = type.split('/');
  for (const wanted of [type, `${family}/*`, '*/*']) {
    const range = ranges.find((each) => each.type === wanted);
    if (range) return range.weight;
  }
  return 0;
}

const IDEMPOTENCY_KEY = 'idempotency-key';

/**
 * The `Idempotency-Key` of a request, where it has one.
 *
 * @throws PatchbayError `invalid_request` unless it is 1 to 255 visible ASCII characters, once.
 */
export function readIdempotencyKey(request: IncomingRequest): string | undefined {
  const key = request.header(IDEMPOTENCY_KEY);
  if (key === undefined) return undefined;
  if (request.headerCount(IDEMPOTENCY_KEY) > 1) throw new PatchbayError('invalid_request', 'send one Idempotency-Key');
  return parseIdempotencyKey(key);
}

/** @throws PatchbayError `invalid_request` for a string that cannot be a key. */
export function parseIdempotencyKey(key: string): string {
  if (/^[\x21-\x7e]{1,255}$/.test(key)) return key;
  throw new PatchbayError('invalid_request', 'an Idempotency-Key has 1 to 255 visible ASCII characters, and no spaces');
}
