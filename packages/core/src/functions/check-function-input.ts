import { setImmediate } from 'node:timers/promises';
import { PatchbayError } from '../contracts/errors.ts';
import type { FunctionInput } from './function-input.ts';
import { shownPointer } from './json-pointer.ts';
import type { SchemaCache } from './schema-cache.ts';
import { checkSchema } from './schema-profile.ts';

const MAX_FAULTS = 50;

/**
 * Make sure that both schemas of a function can be used.
 *
 * @throws PatchbayError `schema_invalid` with every fault, up to 50.
 */
export async function checkFunctionInput(input: FunctionInput, schemas: SchemaCache): Promise<void> {
  const errors = [...checkSchema({ ...input.input }, '/input'), ...checkSchema({ ...input.output }, '/output')];
  if (errors.length > 0) {
    throw new PatchbayError('schema_invalid', 'a schema of the function is not accepted', {
      errors: errors.slice(0, MAX_FAULTS).map((error) => ({ ...error, pointer: shownPointer(error.pointer) })),
    });
  }
  for (const role of ['input', 'output'] as const) {
    try {
      schemas.get(input[role], role);
    } catch (cause) {
      const detail = 'cannot be compiled';
      throw new PatchbayError('schema_invalid', `the ${role} schema of the function is not accepted`, {
        cause,
        errors: [{ pointer: `/${role}`, code: 'not_compilable', detail }],
      });
    }
    // Compiling the largest schema takes some 70 ms: others get their turn before the second one.
    await setImmediate();
  }
}
