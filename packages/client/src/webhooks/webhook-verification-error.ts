import { PatchbayError } from '../errors.ts';

/**
 * Why a delivery was rejected:
 *
 * - `invalid_secret`: the given secret is not a webhook secret. An error of the receiver.
 * - `body_not_raw`: the body is neither text nor bytes, such as an object that a framework
 *   parsed. An error of the receiver.
 * - `missing_header`, `invalid_header`: one of the three headers is missing or invalid
 * - `timestamp_too_old`, `timestamp_too_new`: sent too long ago, or with a clock that is ahead; possibly a replay
 * - `signature_mismatch`: not signed with any of the secrets, or modified in transit
 * - `invalid_body`: correctly signed, but not an event
 */
export type WebhookVerificationCode =
  | 'invalid_secret'
  | 'body_not_raw'
  | 'missing_header'
  | 'invalid_header'
  | 'timestamp_too_old'
  | 'timestamp_too_new'
  | 'signature_mismatch'
  | 'invalid_body';

/** A delivery that failed verification. Respond with 400, and do nothing else. */
export class WebhookVerificationError extends PatchbayError {
  static override readonly kind: string = 'PatchbayError.WebhookVerificationError';
  readonly code: WebhookVerificationCode;

  constructor(code: WebhookVerificationCode, message: string) {
    super(message);
    this.code = code;
  }
}
