import { type ErrorReply, errorReply } from '../openai-chat/map-error.ts';
import type { Failure } from '../request/describe-failure.ts';

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
function placeOf([first, ...rest]: readonly string[]): readonly string[] {
  if (first === undefined) return [];
  if (first === 'messages') return ['input'];
  return first === 'responseSchema' ? ['text', 'format', 'schema', ...rest] : [first, ...rest];
}
