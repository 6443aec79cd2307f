import { importSecret, isSame, signatureOf } from './signature.ts';
import type { WebhookEvent } from './webhook-event.ts';
import { WebhookVerificationError } from './webhook-verification-error.ts';

export interface VerifyOptions {
  /** Maximum age of a delivery in seconds, or clock skew ahead. Default 300. */
  readonly toleranceSeconds?: number;
  /** Epoch milliseconds. Default: the clock of this machine. */
  readonly now?: () => number;
}

/**
 * Verify that a request is a delivery of your webhook, and parse its event. Requires the body exactly as
 * received: disable JSON parsing in your framework.
 *
 * During a rotation, pass both the old and the new secret.
 *
 * @throws WebhookVerificationError if the delivery is not genuine.
 *
 * @example
 * ```ts
 * import { verify } from '@patchbay/client/webhooks';
 *
 * export async function handle(request: Request, secret: string): Promise<Response> {
 *   const event = await verify(await request.text(), request.headers, secret);
 *   if (event.type === 'execution.failed') console.log(event.data.executionId, event.data.errorCode);
 *   return new Response(null, { status: 204 });
 * }
 * ```
 */
export async function verify(
  rawBody: string | Uint8Array | ArrayBuffer,
  headers: DeliveryHeaders,
  secret: string | readonly string[],
  { toleranceSeconds = 300, now = Date.now }: VerifyOptions = {},
): Promise<WebhookEvent> {
  const body = bytesOf(rawBody);
  const secrets = typeof secret === 'object' && secret.length > 0 ? secret : [secret as string];
  const keys = await Promise.all(secrets.map(importSecret));
  const { id, timestamp, signatures } = readDelivery(headers);
  const age = now() / 1_000 - Number(timestamp);
  if (age > toleranceSeconds) throw untimely('timestamp_too_old', `sent ${Math.round(age)} s ago`);
  if (-age > toleranceSeconds) throw untimely('timestamp_too_new', `sent ${Math.round(-age)} s from now`);
  let isSigned = false;
  for (const key of keys) {
    const expected = await signatureOf(key, { id, timestamp, body });
    // All are compared, so that the time does not reveal which one matched.
    for (const signature of signatures) isSigned = isSame(signature, expected) || isSigned;
  }
  if (!isSigned) {
    const detail = 'the delivery was not signed with this secret, or its body is not the one that was received';
    throw new WebhookVerificationError('signature_mismatch', detail);
  }
  return readEvent(id, body);
}

function bytesOf(body: string | Uint8Array | ArrayBuffer): Uint8Array {
  if (typeof body === 'string') return new TextEncoder().encode(body);
  if (ArrayBuffer.isView(body)) return new Uint8Array(body.buffer, body.byteOffset, body.byteLength);
  if (Object.prototype.toString.call(body) === '[object ArrayBuffer]') return new Uint8Array(body);
  throw new WebhookVerificationError(
    'body_not_raw',
    'the body must be the received text or bytes, not the output of a body parser',
  );
}

function untimely(code: 'timestamp_too_old' | 'timestamp_too_new', when: string): WebhookVerificationError {
  return new WebhookVerificationError(code, `the delivery was ${when}: it is a replay, or a clock is wrong`);
}

function readEvent(id: string, body: Uint8Array): WebhookEvent {
  let value: unknown;
  try {
    value = JSON.parse(new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(body));
  } catch {
    value = undefined;
  }
  const { type, timestamp, data } = (value ?? {}) as Partial<Record<'type' | 'timestamp' | 'data', unknown>>;
  if (typeof type !== 'string' || typeof timestamp !== 'string' || typeof data !== 'object' || data === null) {
    throw new WebhookVerificationError('invalid_body', 'the delivery is signed, but does not contain a Patchbay event');
  }
  return { id, type, timestamp, data } as WebhookEvent;
}

/** The headers of a request: `Headers`, or an object such as Node's `request.headers`. */
export type DeliveryHeaders =
  | { get(name: string): string | null }
  | Readonly<Record<string, string | readonly string[] | undefined>>;

/** The headers of a delivery. */
interface Delivery {
  readonly id: string;
  /** Seconds since 1970, as it was sent. */
  readonly timestamp: string;
  /** The signatures of the supported version. */
  readonly signatures: readonly string[];
}

const MAX_SIGNATURES = 16;

/** @throws WebhookVerificationError `missing_header`, `invalid_header`. */
function readDelivery(headers: DeliveryHeaders): Delivery {
  const id = read(headers, 'webhook-id');
  const timestamp = read(headers, 'webhook-timestamp');
  const signatures = read(headers, 'webhook-signature').split(' ');
  // If it contained a dot, the same signature would be valid for other bytes too.
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
    throw new WebhookVerificationError('missing_header', `the request lacks the header ${name}`);
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
  return new WebhookVerificationError('invalid_header', `the header ${name} does not follow Standard Webhooks`);
}
