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

/** Messages are made of several items each: the place of one is not known any more. */
function placeOf([first, ...rest]: readonly string[]): readonly string[] {
  if (first === undefined) return [];
  if (first === 'messages') return ['input'];
  return first === 'responseSchema' ? ['text', 'format', 'schema', ...rest] : [first, ...rest];
}
