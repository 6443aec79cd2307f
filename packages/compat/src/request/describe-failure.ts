import { type ErrorCode, errorCodes } from '@patchbay/core';
import { PatchbayError } from '@patchbay/core/plugin';
import { stepsOf } from './request-error.ts';

/** A failure in both APIs, as far as it does not follow from the status. */
interface Rule {
  readonly status?: number;
  /** `error.type` and `error.code` at OpenAI, and `param` if no path is known. */
  readonly openai?: { readonly type?: string; readonly code?: string; readonly param?: string };
}

const badKey: Rule = { openai: { code: 'invalid_api_key' } };
const badModel: Rule = { openai: { code: 'model_not_found', param: 'model' } };
const tooFast: Rule = { status: 429, openai: { type: 'requests', code: 'rate_limit_exceeded' } };
const badPrompt: Rule = { openai: { param: 'messages' } };
const wrongModel: Rule = { openai: { param: 'model' } };

/** The one table of both APIs. Codes that are not in it keep their status and their name. */
const rules: Readonly<Partial<Record<ErrorCode, Rule>>> = {
  unauthenticated: badKey,
  invalid_token: badKey,
  token_expired: badKey,
  key_revoked: badKey,
  model_not_found: badModel,
  // Functions are models here, under `fn/<name>`.
  function_not_found: badModel,
  version_not_found: badModel,
  settings_not_found: badModel,
  ambiguous_function_name: wrongModel,
  model_capability_mismatch: wrongModel,
  model_unpriced: wrongModel,
  input_invalid: badPrompt,
  context_length_exceeded: badPrompt,
  content_filtered: { openai: { code: 'content_filter' } },
  rate_limited: tooFast,
  concurrency_limited: tooFast,
  provider_rate_limited: tooFast,
  quota_exceeded: { openai: { type: 'insufficient_quota', code: 'insufficient_quota' } },
  provider_not_configured: { status: 500 },
  // The fault of the model, not of the request.
  function_call_invalid: { status: 502 },
};

export interface Failure extends Required<Pick<Rule, 'status'>>, Omit<Rule, 'status'> {
  readonly code: ErrorCode;
  /** Without the path. */
  readonly message: string;
  /** The first fault of the request, with the steps of its path. */
  readonly fault?: { readonly code: string; readonly detail: string; readonly steps: readonly string[] };
}

/** A failure in the terms that both APIs have. Anything that is not a `PatchbayError` is an internal error without details. */
export function describeFailure(error: unknown): Failure {
  const known =
    PatchbayError.is(error) && Object.hasOwn(errorCodes, error.code)
      ? error
      : new PatchbayError('internal_error', 'the cause is in the log of the server, under the id of this request');
  const rule = rules[known.code] ?? {};
  // Neither API uses 422.
  const status = rule.status ?? (known.status === 422 ? 400 : known.status);
  const [fault] = known.errors;
  return {
    ...rule,
    status,
    code: known.code,
    message: known.message,
    ...(fault && { fault: { ...fault, steps: stepsOf(fault.pointer) } }),
  };
}

/** The sentence for the failure: of a request that cannot be read, the name of its member and what is wrong with it. */
export function sentenceOf({ message, fault }: Failure, place: string): string {
  if (fault === undefined || place === '') return message;
  const own = `${place} ${fault.detail}`;
  return message.endsWith(fault.detail) ? own : `${message}: ${own}`;
}
