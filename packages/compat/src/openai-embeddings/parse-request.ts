import { definedMembers } from '@patchbay/core/provider';
import type OpenAI from 'openai';
import type { ModelChoice, Routing } from '../gateway-types.ts';
import { Field } from '../request/field.ts';
import { readRouting } from '../request/read-routing.ts';
import { type RequestWarnings, Warnings } from '../request/warnings.ts';

/** Numbers, or the bytes of little-endian 32-bit floats in base64. */
export type EncodingFormat = 'float' | 'base64';

export interface ParsedEmbeddingRequest extends RequestWarnings {
  readonly choice: ModelChoice;
  readonly texts: readonly string[];
  readonly dimensions?: number;
  readonly encodingFormat: EncodingFormat;
}

const MAX_TEXTS = 2_048;

type Body = OpenAI.EmbeddingCreateParams | { readonly routing?: Routing | null };

/**
 * The body of `POST /v1/embeddings`.
 *
 * @throws PatchbayError `invalid_request` with the path of the first malformed member.
 *
 * @example
 * ```ts
 * import { parseEmbeddingRequest } from '@patchbay/compat/openai-embeddings';
 *
 * console.log(parseEmbeddingRequest({ model: 'acme/embed', input: 'Hi' }).texts); // [ 'Hi' ]
 * ```
 */
export function parseEmbeddingRequest(value: unknown): ParsedEmbeddingRequest {
  const body = new Field<Body>(value);
  const model = body.member('model').name();
  const routing = body.member('routing').maybe(readRouting);
  const dimensions = body.member('dimensions').maybe((field) => field.integer({ min: 1 }));
  const format = body.member('encoding_format').maybe((field) => field.oneOf(['float', 'base64']));
  return {
    choice: { model, ...definedMembers({ routing }) },
    texts: readTexts(body.member('input')),
    ...definedMembers({ dimensions }),
    encodingFormat: format ?? 'float',
    ...new Warnings('openai-chat').of(body),
  };
}

function readTexts(input: Field<OpenAI.EmbeddingCreateParams['input']>): readonly string[] {
  const items = input.textOrList();
  if (typeof items === 'string') return [input.name()];
  if (items.length === 0) input.fail('invalid_value', 'must not be an empty list');
  if (items.length > MAX_TEXTS) input.fail('invalid_value', `must have at most ${MAX_TEXTS} items`);
  const [first] = items;
  if (typeof first?.value === 'number' || Array.isArray(first?.value)) {
    input.fail('unsupported_value', 'must be text for this model: tokens of OpenAI mean nothing to others');
  }
  return items.map((item) => item.name());
}
