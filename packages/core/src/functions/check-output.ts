import { hasUnsupportedUnicode, isDeeperThan, MAX_JSON_DEPTH } from '../base/json-text.ts';
import type { ErrorDetail } from '../contracts/errors.ts';
import type { JsonObject } from '../contracts/json.ts';
import type { CompiledSchema } from '../schema/compile-schema.ts';

/** The output of a run, or what is wrong with it. */
export type CheckedOutput =
  | { readonly output: JsonObject; readonly faults?: undefined }
  | { readonly output?: undefined; readonly faults: readonly ErrorDetail[] };

const fault = (code: string, detail: string): CheckedOutput => ({ faults: [{ pointer: '/output', code, detail }] });

/** Parse and check what an executor says a function returned. The text is the function's, so nothing of it is trusted. */
export function checkOutput(text: string, schema: CompiledSchema): CheckedOutput {
  if (isDeeperThan(text, MAX_JSON_DEPTH)) return fault('too_deep', `is nested more than ${MAX_JSON_DEPTH} levels deep`);
  if (hasUnsupportedUnicode(text)) return fault('unsupported_unicode', 'has a NUL character or a lone surrogate');
  const output: unknown = JSON.parse(text);
  const faults = schema.validate(output, '/output');
  return faults.length > 0 ? { faults } : { output: output as JsonObject };
}
