import type OpenAI from 'openai';
import type { Routing } from '../gateway-types.ts';
import type { Field } from '../request/field.ts';
import { type Check, checkMembers, parameter, type Refusal, refuseMembers, value } from '../request/member-rules.ts';

/** A request of OpenAI, and what Patchbay accepts in addition. */
export type ChatBody = OpenAI.ChatCompletionCreateParams | { readonly routing?: Routing | null };

const noLogprobs = 'is not supported for this model: it returns no probabilities';
const tiers = ['auto', 'default', 'flex', 'scale', 'priority', 'fast'] as const;

/** Members that the gateway has under other names. */
const mapped = {
  messages: true,
  model: true,
  frequency_penalty: true,
  function_call: true,
  functions: true,
  max_completion_tokens: true,
  max_tokens: true,
  parallel_tool_calls: true,
  presence_penalty: true,
  reasoning_effort: true,
  response_format: true,
  routing: true,
  seed: true,
  stop: true,
  stream: true,
  stream_options: true,
  temperature: true,
  tool_choice: true,
  tools: true,
  top_p: true,
} as const;

/**
 * Members whose loss no reader of an answer would notice. Only models with this API receive them, and they are checked
 * first: the vendor's refusal would look like a failure of the vendor.
 */
const dropped = {
  metadata: (field) => Object.keys(field.object()).map((name) => field.member(name).text()),
  prediction: (field) => field.object(),
  prompt_cache_key: (field) => field.text(),
  prompt_cache_options: (field) => field.object(),
  prompt_cache_retention: (field) => field.oneOf(['in_memory', '24h']),
  safety_identifier: (field) => field.text(),
  user: (field) => field.text(),
  verbosity: (field) => field.oneOf(['low', 'medium', 'high']),
} as const satisfies Record<string, Check>;

/** Members that require what models of other vendors cannot do, so that an answer without it would be wrong. */
const rejected = {
  audio: parameter('is not supported for this model: it returns no audio'),
  logit_bias: parameter(
    'is not supported for this model: its tokens are others than those of OpenAI',
    (field) => Object.keys(field.object()).length === 0,
  ),
  logprobs: parameter(noLogprobs, (field) => !field.flag()),
  modalities: value('must be ["text"] for this model', (field) =>
    field.list().every((item) => item.oneOf(['text', 'audio']) === 'text'),
  ),
  moderation: parameter('is not supported for this model'),
  n: value('must be 1 for this model: send one request for each choice', (field) => field.integer({ min: 1 }) === 1),
  service_tier: value('must be "auto" or "default" for this model', (field) =>
    ['auto', 'default'].includes(field.oneOf(tiers)),
  ),
  store: value('must be false for this model: responses are not stored', (field) => !field.flag()),
  top_logprobs: parameter(noLogprobs, (field) => field.integer({ min: 0, max: 20 }) === 0),
  web_search_options: parameter('is not supported for this model: it searches by tools of the client only'),
} as const satisfies Record<string, Refusal>;

type MemberName = keyof OpenAI.ChatCompletionCreateParams | 'routing';

/** The fate of every member of a request. A new one from OpenAI does not compile until it is decided here. */
export const requestMembers = { mapped, dropped, rejected } as const satisfies Record<
  string,
  Partial<Record<MemberName, unknown>>
>;
({ ...mapped, ...dropped, ...rejected }) satisfies Record<MemberName, unknown>;

/** @throws PatchbayError for the first member that requires what only models of OpenAI can do. */
export function refuseUnsupported(body: Field<ChatBody>): void {
  refuseMembers(body.as(), rejected);
}

/** The members for models with this API, and those that are unknown here. @throws PatchbayError for a malformed one. */
export function readDropped(body: Field<ChatBody>) {
  checkMembers(body.as(), dropped);
  for (const name of Object.keys(mapped) as (keyof typeof mapped)[]) body.member(name);
  return body.rest(...(Object.keys(dropped) as (keyof typeof dropped)[]));
}
