import { isLongerThan } from '../base/json-text.ts';
import { type ErrorDetail, PatchbayError } from '../contracts/errors.ts';
import type { JsonObject } from '../contracts/json.ts';
import type { Schema } from '../contracts/json-schema.ts';
import type { SchemaCache } from '../schema/schema-cache.ts';

/** An input with the defaults of its schema filled in. */
export interface CompleteInput {
  readonly text: string;
  /** As a document; null where nothing had to be filled in. */
  readonly changed: JsonObject | null;
}

/** Characters of JSON. Twice a body, because a few bytes of input can ask for very many of defaults. */
const MAX_INPUT_LENGTH = 2_097_152;

/**
 * Check an input and fill in defaults. The caller's object stays as it is.
 *
 * @throws PatchbayError `input_invalid`.
 */
export function completeInput(
  { input: schema }: { readonly input: Schema },
  input: JsonObject,
  schemas: SchemaCache,
): CompleteInput {
  const text = JSON.stringify(input);
  const document = JSON.parse(text) as JsonObject;
  const errors = schemas.get(schema, 'input').validate(document, '/input');
  if (errors.length > 0) throw inputInvalid(errors);
  if (isLongerThan(document, MAX_INPUT_LENGTH)) {
    const detail = `has more than ${MAX_INPUT_LENGTH} characters once the defaults of the schema are filled in`;
    throw inputInvalid([{ pointer: '/input', code: 'too_large', detail }]);
  }
  const complete = JSON.stringify(document);
  return { text: complete, changed: complete === text ? null : document };
}

function inputInvalid(errors: readonly ErrorDetail[]): PatchbayError {
  return new PatchbayError('input_invalid', 'the input does not fit the input schema of the function', { errors });
}
