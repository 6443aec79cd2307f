import type Anthropic from '@anthropic-ai/sdk';
import { describeFailure, type Failure, sentenceOf } from '../request/describe-failure.ts';
import { vendorSteps } from '../request/request-error.ts';

/** The types that the SDK knows, and one that the API has as well. */
type ErrorType = Anthropic.ErrorType | 'request_too_large';

export interface ErrorBody {
  readonly type: 'error';
  readonly error: { readonly type: ErrorType; readonly message: string; readonly details?: ThreadRefusal };
  readonly request_id: string;
}

/** Makes clients send the whole conversation instead. */
type ThreadRefusal = Anthropic.Messages.ThreadUnsupportedRequestErrorDetails;

export interface ErrorReply {
  readonly status: number;
  readonly body: ErrorBody;
}

const types: Readonly<Record<number, ErrorType>> = {
  401: 'authentication_error',
  402: 'billing_error',
  403: 'permission_error',
  404: 'not_found_error',
  408: 'timeout_error',
  409: 'conflict_error',
  413: 'request_too_large',
  429: 'rate_limit_error',
  504: 'timeout_error',
  529: 'overloaded_error',
};

/**
 * A failure as Anthropic's API returns it. Anything that is not a `PatchbayError` is an internal error
 * without details.
 *
 * @param requestId As in the header of the response.
 *
 * @example
 * ```ts
 * import { mapError } from '@patchbay/compat/anthropic-messages';
 * import { PatchbayError } from '@patchbay/core';
 *
 * console.log(mapError(new PatchbayError('overloaded', 'try later'), 'request_1').body.error.type); // overloaded_error
 * ```
 */
export function mapError(error: unknown, requestId: string): ErrorReply {
  const failure = describeFailure(error);
  const { code } = failure;
  // A server that is too busy has a separate status at Anthropic.
  const status = code === 'quota_exceeded' ? 402 : failure.status === 503 ? 529 : failure.status;
  const type = types[status] ?? (status < 500 ? 'invalid_request_error' : 'api_error');
  const sentence = sentenceOf(failure, placeOf(failure));
  // Clients shorten their conversation at these words.
  const message = code === 'context_length_exceeded' ? `prompt is too long: ${sentence}` : sentence;
  const details = failure.fault?.steps[0] === 'thread' && { details: threadRefusal };
  return { status, body: { type: 'error', error: { type, message, ...details }, request_id: requestId } };
}

const threadRefusal: ThreadRefusal = { error_code: 'thread_unsupported_request' };

/** The path in Anthropic's body, as its own API writes it: `messages.2.content.0:`. */
function placeOf({ fault, code }: Failure): string {
  const steps = fault?.steps ?? [];
  const [first, index, third, ...rest] = steps;
  // The gateway's messages differ in number and in their parts.
  if (steps.length === 0 || (first === 'messages' && code !== 'invalid_request')) return '';
  const path =
    first === 'tools' && third === 'parameters'
      ? ['tools', index, 'input_schema', ...rest]
      : vendorSteps(steps, renamed);
  return `${path.join('.')}:`;
}

const renamed = {
  responseSchema: ['output_config', 'format', 'schema'],
  reasoningEffort: ['output_config', 'effort'],
  stop: ['stop_sequences'],
};
