import { WebhookVerificationError } from './webhook-verification-error.ts';

/** The headers of a request, as frameworks have them: `Headers`, or an object such as Node's `request.headers`. */
export type DeliveryHeaders =
  | { get(name: string): string | null }
  | Readonly<Record<string, string | readonly string[] | undefined>>;

/** What the headers of a delivery say. */
export interface Delivery {
  readonly id: string;
  /** Seconds since 1970, as it was sent. */
  readonly timestamp: string;
  /** Those of the version that is understood here. */
  readonly signatures: readonly string[];
}

const MAX_SIGNATURES = 16;

/** @throws WebhookVerificationError `missing_header`, `invalid_header`. */
export function readDelivery(headers: DeliveryHeaders): Delivery {
  const id = read(headers, 'webhook-id');
  const timestamp = read(headers, 'webhook-timestamp');
  const signatures = read(headers, 'webhook-signature').split(' ');
  // A dot in it, and the same signature would be one for other bytes too.
  if (!/^[\w-]{1,256}$/u.test(id)) throw invalid('webhook-id');
  if (!/^\d{1,12}$/u.test(timestamp)) throw invalid('webhook-timestamp');
  if (signatures.length > MAX_SIGNATURES) throw invalid('webhook-signature');
  return {
    id,
    timestamp,
    signatures: signatures.filter((each) => each.startsWith('v1,')).map((each) => each.slice('v1,'.length)),
  };
}

function read(headers: DeliveryHeaders, name: string): string {
  const value = isHeaders(headers) ? headers.get(name) : find(headers, name);
  if (value === undefined || value === null || value === '') {
    throw new WebhookVerificationError('missing_header', `the request has no header ${name}`);
  }
  if (typeof value !== 'string') throw invalid(name);
  return value;
}

function isHeaders(headers: DeliveryHeaders): headers is { get(name: string): string | null } {
  return typeof headers['get'] === 'function';
}

function find(headers: Readonly<Record<string, string | readonly string[] | undefined>>, name: string) {
  if (headers[name] !== undefined) return headers[name];
  const other = Object.keys(headers).find((each) => each.toLowerCase() === name);
  return other === undefined ? undefined : headers[other];
}

function invalid(name: string): WebhookVerificationError {
  return new WebhookVerificationError('invalid_header', `the header ${name} is not what Standard Webhooks has there`);
}
