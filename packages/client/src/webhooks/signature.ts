import { WebhookVerificationError } from './webhook-verification-error.ts';

/** The parts of a delivery. */
export interface SignedMessage {
  readonly id: string;
  /** Epoch milliseconds. */
  readonly timestamp: number;
  readonly body: string;
}

/**
 * Create the headers of a delivery, for tests of your receiver.
 *
 * @example
 * ```ts
 * import { sign, verify } from '@patchbay/client/webhooks';
 *
 * const secret = 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw';
 * const body = '{"type":"key.revoked","timestamp":"2026-11-21T12:00:00.000Z","data":{"keyId":"key_1"}}';
 * const headers = await sign({ id: 'event_1', timestamp: Date.now(), body }, secret);
 * const event = await verify(body, headers, secret);
 * console.log(event.type); // key.revoked
 * ```
 */
export async function sign({ id, timestamp, body }: SignedMessage, secret: string) {
  const seconds = String(Math.floor(timestamp / 1_000));
  const message = { id, timestamp: seconds, body: new TextEncoder().encode(body) };
  const signature = await signatureOf(await importSecret(secret), message);
  return {
    'content-type': 'application/json',
    'webhook-id': id,
    'webhook-timestamp': seconds,
    'webhook-signature': `v1,${signature}`,
  };
}

const encoder = new TextEncoder();

/** The key of a webhook secret. */
type SigningKey = Awaited<ReturnType<typeof crypto.subtle.importKey>>;

/** @param secret `whsec_` and base64. @throws WebhookVerificationError `invalid_secret`. */
export async function importSecret(secret: string): Promise<SigningKey> {
  const text = typeof secret === 'string' ? secret.trim().replace(/^whsec_/u, '') : '';
  if (text === '' || text.length % 4 !== 0 || !/^[A-Za-z\d+/]+={0,2}$/u.test(text)) {
    throw new WebhookVerificationError(
      'invalid_secret',
      'the secret of a webhook is "whsec_" and base64, as its creation answered',
    );
  }
  const key = Uint8Array.from(atob(text), (character) => character.charCodeAt(0));
  return await crypto.subtle.importKey('raw', key, { name: 'HMAC', hash: 'SHA-256' }, false, ['sign']);
}

/** The signature of a message, as it follows `v1,`. */
export async function signatureOf(
  key: SigningKey,
  { id, timestamp, body }: { readonly id: string; readonly timestamp: string; readonly body: Uint8Array },
): Promise<string> {
  const head = encoder.encode(`${id}.${timestamp}.`);
  const signed = new Uint8Array(head.length + body.length);
  signed.set(head);
  signed.set(body, head.length);
  const signature = new Uint8Array(await crypto.subtle.sign('HMAC', key, signed));
  return btoa(String.fromCharCode(...signature));
}

/** Compare two strings in constant time. */
export function isSame(one: string, other: string): boolean {
  if (one.length !== other.length) return false;
  let difference = 0;
  for (let index = 0; index < one.length; index++) difference |= one.charCodeAt(index) ^ other.charCodeAt(index);
  return difference === 0;
}
