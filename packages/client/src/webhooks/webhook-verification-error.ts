import { PatchbayError } from '../errors.ts';

/**
 * Why a delivery was not believed:
 *
 * - `invalid_secret`: what was given to verify with is no secret of a webhook. A mistake of the receiver's.
 * - `body_not_raw`: the body was given as something else than text or bytes, such as the object that a framework had
 *   parsed it into. A mistake of the receiver's.
 * - `missing_header`, `invalid_header`: one of the three headers is not there, or is not what it must be
 * - `timestamp_too_old`, `timestamp_too_new`: sent too long ago, or by a clock that is ahead; perhaps a replay
 * - `signature_mismatch`: not signed with any of the secrets, or modified in transit
 * - `invalid_body`: signed as it should be, and not an event
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

/** A delivery that is not to be believed. Answer 400, and do nothing else. */
export class WebhookVerificationError extends PatchbayError {
  static override readonly kind: string = 'PatchbayError.WebhookVerificationError';
  readonly code: WebhookVerificationCode;

  constructor(code: WebhookVerificationCode, message: string) {
    super(message);
    this.code = code;
  }
}
