/**
 * For those who receive webhooks of a Patchbay server: whether a delivery is genuine, and what is in it. Depends on
 * nothing but WebCrypto, which Node, Deno, Bun, browsers and Workers have.
 *
 * @module
 */

export { type SignedMessage, sign } from './signature.ts';
export type { DeliveryHeaders } from './verify.ts';
export { type VerifyOptions, verify } from './verify.ts';
export type { WebhookEvent, WebhookEventOf, WebhookEventType } from './webhook-event.ts';
export { type WebhookVerificationCode, WebhookVerificationError } from './webhook-verification-error.ts';
