import type OpenAI from 'openai';
import type { Routing } from '../gateway-types.ts';
import type { Field } from '../request/field.ts';
import { type Check, checkMembers, parameter, type Refusal, refuseMembers, value } from '../request/member-rules.ts';

/** A request of OpenAI, and what Patchbay accepts in addition. */
export type ResponsesBody = OpenAI.Responses.ResponseCreateParams | { readonly routing?: Routing | null };

/** Members that the gateway has under other names, or that occur only in the response. */
const mapped = {
  include: true,
  input: true,
  instructions: true,
  max_output_tokens: true,
  model: true,
  parallel_tool_calls: true,
  reasoning: true,
  routing: true,
  store: true,
  stream: true,
  stream_options: true,
  temperature: true,
  text: true,
  tool_choice: true,
  tools: true,
  top_p: true,
} as const;

/** Members whose loss no reader of an answer would notice. Only models with this API receive them. */
const dropped = {
  access_programs: (field) => field.object(),
  context_management: (field) => field.as<readonly unknown[]>().list(),
  max_tool_calls: (field) => field.integer({ min: 1 }),
  metadata: (field) => Object.keys(field.object()).map((name) => field.member(name).text()),
  prompt_cache_key: (field) => field.text(),
  prompt_cache_options: (field) => field.object(),
  prompt_cache_retention: (field) => field.oneOf(['in_memory', '24h']),
  safety_identifier: (field) => field.text(),
  truncation: (field) => field.oneOf(['auto', 'disabled']),
  user: (field) => field.text(),
} as const satisfies Record<string, Check>;

const stored = 'names what OpenAI stores, which other models cannot read; send the items themselves in input';

/** Members that require what models of other vendors cannot do, so that an answer without it would be wrong. */
const rejected = {
  background: value(
    'must be false for this model: responses are made while the client waits',
    (field) => !field.flag(),
  ),
  conversation: parameter(stored),
  image: parameter('is not supported for this model'),
  moderation: parameter('is not supported for this model'),
  previous_response_id: parameter(stored),
  prompt: parameter(stored),
  service_tier: value('must be "auto" or "default" for this model', (field) =>
    ['auto', 'default'].includes(field.oneOf(['auto', 'default', 'flex', 'scale', 'priority', 'fast', 'ultrafast'])),
  ),
  top_logprobs: parameter(
    'is not supported for this model: it returns no probabilities',
    (field) => field.integer({ min: 0, max: 20 }) === 0,
  ),
} as const satisfies Record<string, Refusal>;

type MemberName = keyof OpenAI.Responses.ResponseCreateParams | 'routing';

/** Every member of a request, and whether it is used. New ones from OpenAI do not compile until decided here. */
export const requestMembers = { mapped, dropped, rejected } as const satisfies Record<
  string,
  Partial<Record<MemberName, unknown>>
>;
({ ...mapped, ...dropped, ...rejected }) satisfies Record<MemberName, unknown>;

/** @throws PatchbayError for the first member that requires what only models of OpenAI can do. */
export function refuseUnsupported(body: Field<ResponsesBody>): void {
  refuseMembers(body.as(), rejected);
}

/** The members for models with this API, and those that are unknown here. @throws PatchbayError for a malformed one. */
export function readDropped(body: Field<ResponsesBody>) {
  checkMembers(body.as(), dropped);
  for (const name of Object.keys(mapped) as (keyof typeof mapped)[]) body.member(name);
  return body.rest(...(Object.keys(dropped) as (keyof typeof dropped)[]));
}
