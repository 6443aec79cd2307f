import type { JsonObject } from '@patchbay/core/plugin';
import type OpenAI from 'openai';
import { describeFailure, type Failure, sentenceOf } from '../request/describe-failure.ts';
import { paramOf, vendorSteps } from '../request/request-error.ts';

export interface ErrorReply {
  readonly status: number;
  readonly body: JsonObject;
}

/** The names that the codes of single faults have in OpenAI's API. */
const faultCodes: Readonly<Record<string, string>> = {
  required: 'missing_required_parameter',
  type: 'invalid_type',
  unknown_field: 'unknown_parameter',
  missing_required_parameter: 'missing_required_parameter',
  invalid_type: 'invalid_type',
  unsupported_parameter: 'unsupported_parameter',
  unsupported_value: 'unsupported_value',
};

/** The parts in which the endpoints of OpenAI differ. */
interface Endpoint {
  readonly typeOf: (failure: Failure) => string;
  /** The path in the vendor's body for one in the gateway's own. */
  readonly placeOf: (steps: readonly string[]) => readonly string[];
}

/**
 * The response to a failed request, as OpenAI would give it. Anything that is not a `PatchbayError` is an internal error
 * without details.
 *
 * @example
 * ```ts
 * import { mapError } from '@patchbay/compat/openai-chat';
 * import { PatchbayError } from '@patchbay/core';
 *
 * console.log(mapError(new PatchbayError('provider_rate_limited', 'acme is busy')).status); // 429
 * ```
 */
export function mapError(error: unknown): ErrorReply {
  return errorReply(error, { typeOf, placeOf });
}

export function errorReply(error: unknown, endpoint: Endpoint): ErrorReply {
  const failure = describeFailure(error);
  const { status, openai = {} } = failure;
  const place = paramOf(failure.fault ? endpoint.placeOf(failure.fault.steps) : []);
  const sentence = sentenceOf(failure, place);
  // Clients shorten their conversation at these words.
  const isTooLong = failure.code === 'context_length_exceeded';
  const object: OpenAI.ErrorObject = {
    message: isTooLong ? `This model's maximum context length is exceeded: ${sentence}` : sentence,
    type: endpoint.typeOf(failure),
    param: place || (!failure.fault && paramOf(endpoint.placeOf(openai.param ? [openai.param] : []))) || null,
    code: codeOf(failure, place),
  };
  return { status, body: { error: object as unknown as JsonObject } };
}

function typeOf({ status, openai }: Failure): string {
  return openai?.type ?? (status >= 500 ? 'server_error' : 'invalid_request_error');
}

function codeOf({ code, fault, openai }: Failure, place: string): string {
  if (code === 'invalid_request' && fault) return faultCodes[fault.code] ?? 'invalid_value';
  if (code === 'schema_invalid')
    return place.startsWith('tools') ? 'invalid_function_parameters' : 'invalid_json_schema';
  return openai?.code ?? code;
}

function placeOf(steps: readonly string[]): readonly string[] {
  const [first, index, third, ...rest] = steps;
  if (first === 'tools' && index !== undefined && ['name', 'description', 'parameters'].includes(third ?? '')) {
    return ['tools', index, 'function', third ?? '', ...rest];
  }
  return vendorSteps(steps, { responseSchema: ['response_format', 'json_schema', 'schema'] });
}
