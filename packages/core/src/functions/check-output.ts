import { readJson } from '../base/read-json.ts';
import { type ErrorDetail, PatchbayError } from '../contracts/errors.ts';
import type { JsonObject } from '../contracts/json.ts';
import type { Schema } from '../contracts/json-schema.ts';
import type { SchemaService } from '../schema/schema-service.ts';

/** The output of a run, or what is wrong with it. */
export type CheckedOutput =
  | { readonly output: JsonObject; readonly faults?: undefined }
  | { readonly output?: undefined; readonly faults: readonly ErrorDetail[] };

const POINTER = '/output';

/** Parse and check what an executor says a function returned. The text is the function's, so nothing of it is trusted. */
export async function checkOutput(
  text: string,
  schema: Schema,
  schemas: SchemaService,
  tenant: string,
): Promise<CheckedOutput> {
  let output: JsonObject;
  try {
    output = (await readJson(text, 'the output')).value as JsonObject;
  } catch (error) {
    if (!PatchbayError.is(error)) throw error;
    return { faults: [{ pointer: POINTER, code: error.code, detail: detailOf(error) }] };
  }
  const { faults } = await schemas.validate(tenant, schema, { text, role: 'output', pointer: POINTER });
  return faults.length > 0 ? { faults } : { output };
}

function detailOf({ code, message }: PatchbayError): string {
  return code === 'unsupported_unicode' ? 'has a NUL character or a lone surrogate' : message;
}
