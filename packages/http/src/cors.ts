import type { IncomingRequest } from './incoming-request.ts';
import type { WireReply } from './output/wire.ts';

/** Cross-origin access from browsers (CORS). */
export interface CorsOptions {
  /** Such as `https://app.acme.com`. `*` is every origin, and cannot be combined with `credentials`. */
  readonly origins: readonly string[];
  /**
   * Whether browsers send cookies, for hosts that identify callers by them. State-changing requests also require
   * the origin in `trustedOrigins`. Default: false. Not needed for tokens.
   */
  readonly credentials?: boolean;
  /** Seconds for which a browser caches the response to a preflight request. Default: 600. */
  readonly maxAgeSeconds?: number;
}

/** The CORS steps before and after everything else. */
export interface Cors {
  /** The response to a preflight request of an allowed origin, before `allow`; undefined for every other request. */
  preflight(request: IncomingRequest): WireReply | undefined;
  /** Let the page of an allowed origin read a response. */
  allow(request: IncomingRequest, headers: Record<string, string>): void;
}

const METHODS = 'GET, HEAD, POST, PUT, DELETE';
const DEFAULT_MAX_AGE_SECONDS = 600;

/** Response headers that pages can read in addition to the CORS-safelisted ones. */
const EXPOSED = [
  'Request-Id',
  'X-Request-Id',
  'Patchbay-Version',
  'Patchbay-Call',
  'Patchbay-Route',
  'Patchbay-Warning',
  'Location',
  'ETag',
  'Retry-After',
  'X-Should-Retry',
  'RateLimit',
  'RateLimit-Policy',
  'Idempotency-Replayed',
  'Preference-Applied',
  'WWW-Authenticate',
  'Mcp-Session-Id',
].join(', ');

const headerNames = /^[\w-]+(?: *, *[\w-]+)*$/;
const MAX_HEADER_NAMES = 1_024;

/** @throws TypeError for an invalid origin. */
export function createCors({
  origins,
  credentials = false,
  maxAgeSeconds = DEFAULT_MAX_AGE_SECONDS,
}: CorsOptions): Cors {
  const isOpen = origins.includes('*');
  if (isOpen && credentials) throw new TypeError('cors.origins must name the origins where cors.credentials is on');
  for (const origin of origins) {
    if (origin !== '*' && URL.parse(origin)?.origin !== origin) {
      throw new TypeError(`cors.origins must contain origins such as https://app.acme.com, not ${origin}`);
    }
  }

  /** The `Access-Control-Allow-Origin` for a request; undefined if it does not come from an allowed origin. */
  const allowedFor = (request: IncomingRequest): string | undefined => {
    const origin = request.header('origin');
    if (origin === undefined) return undefined;
    if (isOpen) return '*';
    return origins.includes(origin) ? origin : undefined;
  };

  return {
    preflight(request) {
      const isPreflight = request.method === 'OPTIONS' && request.header('access-control-request-method') !== undefined;
      if (!isPreflight || allowedFor(request) === undefined) return undefined;
      const headers: Record<string, string> = {
        'Access-Control-Allow-Methods': METHODS,
        'Access-Control-Max-Age': String(maxAgeSeconds),
        Vary: 'Access-Control-Request-Headers',
      };
      const asked = request.header('access-control-request-headers');
      // Any header: the actual request decides what a header means, and `*` would leave out Authorization.
      if (asked !== undefined && asked.length <= MAX_HEADER_NAMES && headerNames.test(asked)) {
        headers['Access-Control-Allow-Headers'] = asked;
      }
      return { status: 204, headers, body: undefined, close: false };
    },

    allow(request, headers) {
      if (!isOpen) headers['Vary'] = headers['Vary'] === undefined ? 'Origin' : `${headers['Vary']}, Origin`;
      const allowed = allowedFor(request);
      if (allowed === undefined) return;
      headers['Access-Control-Allow-Origin'] = allowed;
      if (credentials) headers['Access-Control-Allow-Credentials'] = 'true';
      headers['Access-Control-Expose-Headers'] = EXPOSED;
    },
  };
}
