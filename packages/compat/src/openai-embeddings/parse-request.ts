import { definedMembers } from '@patchbay/core/provider';
import type OpenAI from 'openai';
import type { ModelChoice } from '../gateway-types.ts';
import { Field } from '../request/field.ts';
import { readRouting } from '../request/read-routing.ts';
import { printable, Warnings } from '../request/warnings.ts';

/** Numbers, or the bytes of little-endian 32-bit floats in base64. */
export type EncodingFormat = 'float' | 'base64';

export interface ParsedEmbeddingRequest {
  readonly choice: ModelChoice;
  readonly texts: readonly string[];
  readonly dimensions?: number;
  readonly encodingFormat: EncodingFormat;
  /** One sentence for each member that is left out. */
  readonly warnings: readonly string[];
}

const MAX_TEXTS = 2_048;

const members = {
  input: 'read',
  model: 'read',
  dimensions: 'read',
  encoding_format: 'read',
  user: 'left out',
  // Accepted beside those of OpenAI.
  routing: 'read',
} as const satisfies Record<keyof OpenAI.EmbeddingCreateParams | 'routing', 'read' | 'left out'>;

/**
 * The body of `POST /v1/embeddings`.
 *
 * @throws PatchbayError `invalid_request` with the place of the first malformed member.
 */
export function parseEmbeddingRequest(value: unknown): ParsedEmbeddingRequest {
  const body = new Field(value);
  const warnings = new Warnings();
  const model = body.member('model').name();
  const routing = body.member('routing').maybe(readRouting);
  const dimensions = body.member('dimensions').maybe((field) => field.integer({ min: 1 }));
  body.member('user').maybe((field) => field.text());
  for (const [name, field] of body.members()) {
    const isRead = Object.hasOwn(members, name) && members[name as keyof typeof members] === 'read';
    if (!isRead && field.isGiven) warnings.add(`${printable(name)} is left out`);
  }
  return {
    choice: { model, ...definedMembers({ routing }) },
    texts: readTexts(body.member('input')),
    ...definedMembers({ dimensions }),
    encodingFormat: body.member('encoding_format').maybe((field) => field.oneOf(['float', 'base64'])) ?? 'float',
    warnings: warnings.all,
  };
}

function readTexts(input: Field): readonly string[] {
  if (typeof input.value === 'string') return [input.name()];
  if (input.isGiven && !Array.isArray(input.value)) input.fail('invalid_type', 'must be a text or a list of texts');
  const items = input.list();
  if (items.length === 0) input.fail('invalid_value', 'must not be an empty list');
  if (items.length > MAX_TEXTS) input.fail('invalid_value', `must have at most ${MAX_TEXTS} items`);
  const [first] = items;
  if (typeof first?.value === 'number' || Array.isArray(first?.value)) {
    input.fail('unsupported_value', 'must be text for this model: tokens of OpenAI mean nothing to others');
  }
  return items.map((item) => item.name());
}
