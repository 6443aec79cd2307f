import type OpenAI from 'openai';
import type { Field } from '../request/field.ts';
import type { RequestFault } from '../request/request-error.ts';

/** Members that ask for what models of other vendors cannot do, so that an answer without it would be a wrong one. */
type RefusedOption =
  | 'audio'
  | 'logit_bias'
  | 'logprobs'
  | 'modalities'
  | 'moderation'
  | 'n'
  | 'service_tier'
  | 'store'
  | 'top_logprobs'
  | 'web_search_options';

interface Refusal {
  /** Whether a value asks for nothing. */
  readonly isIdle: (field: Field) => boolean;
  readonly code: RequestFault;
  readonly detail: string;
}

const never = (): boolean => false;
const parameter = (isIdle: Refusal['isIdle'], detail: string): Refusal => ({
  isIdle,
  code: 'unsupported_parameter',
  detail,
});
const value = (isIdle: Refusal['isIdle'], detail: string): Refusal => ({ isIdle, code: 'unsupported_value', detail });

const isText = (item: Field): boolean => item.oneOf(['text', 'audio']) === 'text';
const noLogprobs = 'is not supported for this model: it returns no probabilities';

export const refusedOptions = {
  audio: parameter(never, 'is not supported for this model: it returns no audio'),
  logit_bias: parameter(
    (field) => field.members().length === 0,
    'is not supported for this model: its tokens are others than those of OpenAI',
  ),
  logprobs: parameter((field) => !field.flag(), noLogprobs),
  modalities: value((field) => field.list().every(isText), 'must be ["text"] for this model'),
  moderation: parameter(never, 'is not supported for this model'),
  n: value((field) => field.integer({ min: 1 }) === 1, 'must be 1 for this model: send one request for each choice'),
  service_tier: value(
    (field) => ['auto', 'default'].includes(field.oneOf(['auto', 'default', 'flex', 'scale', 'priority', 'fast'])),
    'must be "auto" or "default" for this model',
  ),
  store: value((field) => !field.flag(), 'must be false for this model: responses are not stored'),
  top_logprobs: parameter((field) => field.integer({ min: 0, max: 20 }) === 0, noLogprobs),
  web_search_options: parameter(never, 'is not supported for this model: it searches by tools of the client only'),
} satisfies Record<RefusedOption & keyof OpenAI.ChatCompletionCreateParams, Refusal>;

/** @throws PatchbayError for the first of them that asks for something. */
export function refuseUnsupported(body: Field): void {
  for (const [name, { isIdle, code, detail }] of Object.entries(refusedOptions)) {
    const field = body.member(name);
    if (field.isGiven && !isIdle(field)) field.fail(code, detail);
  }
}
