import type OpenAI from 'openai';
import type { Field } from '../request/field.ts';

/** The members of a request that change nothing in an answer that a reader would miss: hints, and marks for the vendor. */
type KeptOption =
  | 'metadata'
  | 'prediction'
  | 'prompt_cache_key'
  | 'prompt_cache_options'
  | 'prompt_cache_retention'
  | 'safety_identifier'
  | 'user'
  | 'verbosity';

/** They reach models with this API only, and are checked first: the vendor's refusal would look like a failure of its. */
export const keptOptions = {
  metadata: (field) => field.members().map(([, value]) => value.text()),
  prediction: (field) => field.object(),
  prompt_cache_key: (field) => field.text(),
  prompt_cache_options: (field) => field.object(),
  prompt_cache_retention: (field) => field.oneOf(['in_memory', '24h']),
  safety_identifier: (field) => field.text(),
  user: (field) => field.text(),
  verbosity: (field) => field.oneOf(['low', 'medium', 'high']),
} satisfies Record<KeptOption & keyof OpenAI.ChatCompletionCreateParams, (field: Field) => unknown>;

/** @throws PatchbayError for a kept member of a wrong type. */
export function checkKept(body: Field): void {
  for (const [name, check] of Object.entries(keptOptions)) body.member(name).maybe<unknown>(check);
}
