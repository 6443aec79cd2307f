import type { Random } from '../driver/random.ts';
import { mutateValue, oddValues } from './mutate-value.ts';

/** A request as it will be sent; the body is text or bytes already. */
export interface FuzzRequest {
  readonly method: string;
  readonly target: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string | undefined;
}

/** A valid request of one operation. */
export interface ValidRequest {
  readonly method: string;
  readonly path: string;
  readonly query?: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: unknown;
}

const methods = ['GET', 'HEAD', 'POST', 'PUT', 'DELETE', 'PATCH', 'OPTIONS', 'QUERY'];
const queries = ['limit', 'offset', 'sort', 'order', 'cursor', 'unknown', '__proto__', 'limit[]'];
const headerNames = [
  'if-match',
  'if-none-match',
  'traceparent',
  'prefer',
  'idempotency-key',
  'accept',
  'last-event-id',
  'x-http-method-override',
  'x-forwarded-for',
  'range',
  'expect',
  'cookie',
];
const contentTypes = [
  'text/plain',
  'application/xml',
  'application/json; charset=utf-16',
  '',
  'application/json;',
  'multipart/form-data',
];

/** Change one to three things about a valid request. */
export function mutateRequest(valid: ValidRequest, random: Random): FuzzRequest {
  let request: FuzzRequest = {
    method: valid.method,
    target: valid.path + (valid.query ?? ''),
    headers: { ...(valid.body === undefined ? {} : { 'content-type': 'application/json' }), ...valid.headers },
    body: valid.body === undefined ? undefined : JSON.stringify(valid.body),
  };
  for (let count = 1 + random.below(3); count > 0; count -= 1) {
    const change = random.pick(valid.body === undefined ? withoutBody : changes);
    request = change(request, random);
  }
  return request;
}

type Change = (request: FuzzRequest, random: Random) => FuzzRequest;

/** Characters that a header or a target may contain unescaped. */
const visible = (value: unknown): string =>
  (typeof value === 'string' ? value : JSON.stringify(value)).replaceAll(/[^\x21-\x7e]/g, '').slice(0, 4_000);

const anyText = (random: Random): string => {
  const text = visible(random.pick(oddValues));
  return random.below(2) === 0 ? text : encodeURIComponent(text);
};

const changeBody: Change = (request, random) => {
  if (request.body === undefined) return request;
  try {
    return { ...request, body: JSON.stringify(mutateValue(JSON.parse(request.body), random)) };
  } catch {
    return request;
  }
};

const breakBody: Change = (request, random) => {
  const { body = '' } = request;
  const place = random.below(body.length + 1);
  const piece = random.pick(['', '"', '{', ']', ',', '\\', '\u0000', '\ufeff', 'é', '1e999', '//']);
  return { ...request, body: body.slice(0, place) + piece + body.slice(place + random.below(3)) };
};

const changeType: Change = (request, random) => ({
  ...request,
  headers: { ...request.headers, 'content-type': random.pick(contentTypes) },
});

const addBody: Change = (request) => ({ ...request, body: request.body ?? '{}' });

const changePath: Change = (request, random) => {
  const [path = '', ...query] = request.target.split('?');
  const parts = path.split('/');
  const place = 1 + random.below(parts.length);
  parts.splice(place, random.below(2), anyText(random));
  return { ...request, target: [parts.join('/'), ...query].join('?').slice(0, 9_000) };
};

const changeQuery: Change = (request, random) => {
  const pair = `${random.pick(queries)}=${anyText(random)}`;
  return { ...request, target: `${request.target}${request.target.includes('?') ? '&' : '?'}${pair}`.slice(0, 9_000) };
};

const changeHeader: Change = (request, random) => ({
  ...request,
  headers: { ...request.headers, [random.pick(headerNames)]: visible(random.pick(oddValues)) },
});

const changeCredentials: Change = (request, random) => ({
  ...request,
  headers: {
    ...request.headers,
    authorization: random.pick(['', 'Bearer', `Bearer ${anyText(random)}`, 'Basic YTpi']),
  },
});

const changeMethod: Change = (request, random) => ({ ...request, method: random.pick(methods) });

const withoutBody = [
  changePath,
  changeQuery,
  changeQuery,
  changeHeader,
  changeHeader,
  changeCredentials,
  changeMethod,
  addBody,
];
const changes = [
  ...withoutBody,
  changeType,
  ...Array<Change>(12).fill(changeBody),
  ...Array<Change>(4).fill(breakBody),
];
