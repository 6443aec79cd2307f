import { PatchbayError } from '@patchbay/contracts/errors';
import type { JsonValue } from '@patchbay/contracts/json';
import { fieldsOf } from '@patchbay/outbound/provider-kit/json-fields';

/** A parsed and validated request of code. */
export interface FetchRequest {
  readonly url: URL;
  readonly method: string;
  readonly headers: readonly (readonly [string, string])[];
  readonly body: Buffer | undefined;
  readonly redirect: 'follow' | 'manual' | 'error';
}

const MAX_URL_LENGTH = 8_192;
const MAX_HEADERS = 64;
const token = /^[!#$%&'*+.^_`|~\w-]{1,200}$/u;
// Allowed in values: visible characters, spaces and tabs (RFC 9110, section 5.5). Others are sent as UTF-8.
const fieldValue = /^[\t\u0020-\u007e\u0080-\u00ff]*$/u;

/** Headers of the connection, not of the request or response (RFC 9110, section 7.6.1). */
export const connectionHeaders: ReadonlySet<string> = new Set([
  'connection',
  'content-length',
  'keep-alive',
  'proxy-authenticate',
  'te',
  'trailer',
  'transfer-encoding',
  'upgrade',
]);

/** Headers that only the server sets, for example to prevent request smuggling. */
const reserved: ReadonlySet<string> = new Set([
  ...connectionHeaders,
  'accept-encoding',
  'expect',
  'host',
  'proxy-authorization',
  'proxy-connection',
]);

/** @throws PatchbayError `invalid_request`, `fetch_refused`. */
export function readFetchRequest(given: JsonValue): FetchRequest {
  const { url: href, method = 'GET', headers = [], body, redirect = 'follow' } = fieldsOf(given) ?? {};
  if (typeof href !== 'string' || href.length > MAX_URL_LENGTH) {
    throw invalid('/url', `must be a URL of at most ${MAX_URL_LENGTH} characters`);
  }
  if (typeof method !== 'string' || !token.test(method)) throw invalid('/method', 'must be a method of HTTP');
  if (/^(?:connect|trace|track)$/iu.test(method)) throw refused(`the method ${method.toUpperCase()} is not allowed`);
  if (body !== undefined && typeof body !== 'string') throw invalid('/body', 'must be base64');
  if (redirect !== 'follow' && redirect !== 'manual' && redirect !== 'error') {
    throw invalid('/redirect', 'must be follow, manual or error');
  }
  const bytes = body === undefined ? undefined : Buffer.from(body, 'base64');
  return { url: readUrl(href), method, headers: readHeaders(headers), body: bytes, redirect };
}

/** @throws PatchbayError `invalid_request`, `fetch_refused`. */
export function readUrl(href: string, base?: URL): URL {
  const url = URL.parse(href, base?.href);
  if (url === null) throw invalid('/url', 'must be a URL');
  if (url.protocol !== 'https:' && url.protocol !== 'http:') throw refused('only http and https URLs can be fetched');
  if (url.username !== '' || url.password !== '') throw refused('a URL may not have a user name or password in it');
  url.hash = '';
  return url;
}

function readHeaders(headers: unknown): FetchRequest['headers'] {
  if (!Array.isArray(headers) || headers.length > MAX_HEADERS) {
    throw invalid('/headers', `must be a list of at most ${MAX_HEADERS} headers`);
  }
  return headers.map((entry: unknown, index) => {
    const [name, value] = Array.isArray(entry) ? (entry as readonly unknown[]) : [];
    if (typeof name !== 'string' || typeof value !== 'string' || !token.test(name) || !fieldValue.test(value)) {
      throw invalid(`/headers/${index}`, 'must be the name and the value of a header');
    }
    const lower = name.toLowerCase();
    if (reserved.has(lower)) throw refused(`the header ${lower} is the server's to set`);
    return [lower, value] as const;
  });
}

function invalid(pointer: string, detail: string): PatchbayError {
  const errors = [{ pointer, code: 'invalid', detail }];
  return new PatchbayError('invalid_request', `the request cannot be sent: ${pointer} ${detail}`, { errors });
}

export function refused(detail: string): PatchbayError {
  return new PatchbayError('fetch_refused', detail);
}
