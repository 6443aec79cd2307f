import { jsonTextOf } from '../base/json-text-of.ts';
import { parseJson } from '../base/read-json.ts';
import { PatchbayError } from '../contracts/errors.ts';
import type { JsonObject } from '../contracts/json.ts';
import type { Schema } from '../contracts/json-schema.ts';
import type { SchemaService } from '../schema/schema-service.ts';

/** An input with the defaults of its schema filled in. */
export interface CompleteInput {
  readonly text: string;
  /** As a document; null where nothing had to be filled in. */
  readonly changed: JsonObject | null;
}

/**
 * Check an input and fill in defaults. The caller's object stays as it is.
 *
 * @throws PatchbayError `input_invalid`.
 */
export async function completeInput(
  { input: schema }: { readonly input: Schema },
  input: JsonObject,
  schemas: SchemaService,
  tenant: string,
): Promise<CompleteInput> {
  const text = jsonTextOf(input);
  const { faults, changed } = await schemas.validate(tenant, schema, { text, role: 'input', pointer: '/input' });
  if (faults.length > 0) {
    throw new PatchbayError('input_invalid', 'the input does not fit the input schema of the function', {
      errors: faults,
    });
  }
  if (changed === undefined) return { text, changed: null };
  return { text: changed, changed: (await parseJson(changed)) as JsonObject };
}
