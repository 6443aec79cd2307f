/**
 * For receivers of webhooks of a Patchbay server: verifies and parses deliveries. Depends
 * only on WebCrypto, which Node, Deno, Bun, browsers and Workers provide.
 *
 * @module
 */

export { type SignedMessage, sign } from './signature.ts';
export type { DeliveryHeaders } from './verify.ts';
export { type VerifyOptions, verify } from './verify.ts';
export type { WebhookEvent, WebhookEventOf, WebhookEventType } from './webhook-event.ts';
export { type WebhookVerificationCode, WebhookVerificationError } from './webhook-verification-error.ts';
