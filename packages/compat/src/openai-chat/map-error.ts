import { type ErrorCode, errorCodes, PatchbayError } from '@patchbay/core';
import type { JsonObject } from '@patchbay/core/plugin';
import type OpenAI from 'openai';
import { paramOf } from '../request/request-error.ts';

export interface ErrorReply {
  readonly status: number;
  readonly body: JsonObject;
  readonly headers: Readonly<Record<string, string>>;
}

interface Rule {
  /** Default: that of the code. */
  readonly status?: number;
  readonly type?: string;
  /** Default: the code itself. */
  readonly code?: string;
  /** Where the error has no location. */
  readonly param?: string;
}

const badKey: Rule = { code: 'invalid_api_key' };
const badModel: Rule = { code: 'model_not_found', param: 'model' };
const tooFast: Rule = { type: 'requests', code: 'rate_limit_exceeded' };

/** The codes that OpenAI has another name or status for; the others keep theirs. */
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
  ambiguous_function_name: { param: 'model' },
  input_invalid: { status: 400, param: 'messages' },
  schema_invalid: { status: 400 },
  unsupported_parameter: { status: 400 },
  context_length_exceeded: { status: 400, param: 'messages' },
  content_filtered: { status: 400, code: 'content_filter' },
  model_capability_mismatch: { status: 400, param: 'model' },
  model_unpriced: { status: 400, param: 'model' },
  // The model's fault, not that of the request.
  function_call_invalid: { status: 502 },
  rate_limited: tooFast,
  concurrency_limited: tooFast,
  quota_exceeded: { type: 'insufficient_quota', code: 'insufficient_quota' },
};

/** What the codes of single faults are called in OpenAI's API. */
const faultCodes: Readonly<Record<string, string>> = {
  required: 'missing_required_parameter',
  type: 'invalid_type',
  unknown_field: 'unknown_parameter',
  missing_required_parameter: 'missing_required_parameter',
  invalid_type: 'invalid_type',
  unsupported_parameter: 'unsupported_parameter',
  unsupported_value: 'unsupported_value',
};

/**
 * The response to a failed request, as OpenAI would give it. Anything that is not a `PatchbayError` is an internal error,
 * of which nothing is told.
 *
 * @param redact Removes secrets from texts.
 */
export function mapError(error: unknown, redact: (text: string) => string = (text) => text): ErrorReply {
  const known =
    PatchbayError.is(error) && Object.hasOwn(errorCodes, error.code)
      ? error
      : new PatchbayError('internal_error', 'the cause is in the log of the server, under the id of this request');
  const rule = rules[known.code] ?? {};
  const { status = known.status } = rule;
  const [fault] = known.errors;
  const param = fault === undefined ? (rule.param ?? null) : memberOf(fault.pointer);
  const object: OpenAI.ErrorObject = {
    message: redact(messageOf(known)),
    type: rule.type ?? (status >= 500 ? 'server_error' : 'invalid_request_error'),
    param,
    code: codeOf(known, rule, param),
  };
  return { status, body: { error: object as unknown as JsonObject }, headers: headersOf(known, status) };
}

/** Problem documents have the faults in a list; here there is one sentence, which names the first. */
function messageOf({ code, message, errors: [fault] }: PatchbayError): string {
  // Clients shorten their conversation at these words.
  if (code === 'context_length_exceeded') return `This model's maximum context length is exceeded: ${message}`;
  if (fault === undefined || fault.pointer === '' || message.includes(fault.detail)) return message;
  return `${message}: ${memberOf(fault.pointer)} ${fault.detail}`;
}

function codeOf({ code, errors: [fault] }: PatchbayError, rule: Rule, param: string | null): string {
  if (code === 'invalid_request' && fault) return faultCodes[fault.code] ?? 'invalid_value';
  if (code === 'schema_invalid')
    return param?.startsWith('tools') ? 'invalid_function_parameters' : 'invalid_json_schema';
  return rule.code ?? code;
}

/** The path in the body of OpenAI of a place in the gateway's own. */
function memberOf(pointer: string): string | null {
  const param = paramOf(
    pointer
      .replace(/^\?/, '')
      .replace(/^\/tools\/(\d+)\/(name|description|parameters)(?=\/|$)/, '/tools/$1/function/$2')
      .replace(/^\/responseSchema(?=\/|$)/, '/response_format/json_schema/schema'),
  );
  return param === '' ? null : param;
}

function headersOf({ code, retryAfter, retryable }: PatchbayError, status: number): Readonly<Record<string, string>> {
  const seconds = retryAfter ?? (retryable && (status === 503 || status === 429) ? 1 : undefined);
  return {
    'Content-Type': 'application/json',
    // Clients decide by the status alone where it is absent, and then repeat requests beyond a budget.
    'X-Should-Retry': String(retryable),
    ...(seconds !== undefined && { 'Retry-After': String(Math.max(1, Math.ceil(seconds))) }),
    ...(status === 401 && { 'WWW-Authenticate': challenge(code) }),
  };
}

// RFC 6750, section 3: without credentials the challenge says nothing but the scheme.
function challenge(code: ErrorCode): string {
  return code === 'unauthenticated' ? 'Bearer realm="patchbay"' : 'Bearer realm="patchbay", error="invalid_token"';
}
