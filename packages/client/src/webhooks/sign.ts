import { importSecret, signatureOf } from './signature.ts';

/** A delivery as servers make it. */
export interface SignedMessage {
  readonly id: string;
  /** Epoch milliseconds. */
  readonly timestamp: number;
  readonly body: string;
}

/**
 * The headers that a server sends with a body: for tests of your receiver.
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
