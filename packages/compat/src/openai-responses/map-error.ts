import { type ErrorReply, errorReply } from '../openai-chat/map-error.ts';
import type { Failure } from '../request/describe-failure.ts';
import { vendorSteps } from '../request/request-error.ts';

/** The response to a failed request, with the types of errors of Open Responses. */
export function mapError(error: unknown): ErrorReply {
  return errorReply(error, { typeOf, placeOf });
}

function typeOf({ status, code }: Failure): string {
  if (status === 429) return 'too_many_requests';
  if (status === 404) return 'not_found';
  if (status < 500) return 'invalid_request';
  return code.startsWith('provider_') ? 'model_error' : 'server_error';
}

/** Each message is made from several items: the position of a single one is no longer known. */
function placeOf(steps: readonly string[]): readonly string[] {
  return steps[0] === 'messages' ? ['input'] : vendorSteps(steps, renamed);
}

const renamed = {
  responseSchema: ['text', 'format', 'schema'],
  maxTokens: ['max_output_tokens'],
  reasoningEffort: ['reasoning', 'effort'],
};
