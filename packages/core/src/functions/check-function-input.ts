import { setImmediate } from 'node:timers/promises';
import { memberPointer, shownPointer } from '../base/json-pointer.ts';
import { type ErrorDetail, PatchbayError } from '../contracts/errors.ts';
import type { Schema } from '../contracts/json-schema.ts';
import type { SchemaCache } from '../schema/schema-cache.ts';
import { checkSchema } from '../schema/schema-profile.ts';
import type { FunctionInput } from './function-input.ts';

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
  const faults = defaultFaults(input.input, schemas);
  if (faults.length > 0) {
    throw new PatchbayError('schema_invalid', 'a default does not fit its own schema', { errors: faults });
  }
}

/**
 * What the defaults of the input's properties lack: a caller could not mend what it never sent. Validating an empty
 * object fills in all of them, and whatever is wrong with a member is then wrong with its default.
 */
function defaultFaults(schema: Schema, schemas: SchemaCache): readonly ErrorDetail[] {
  const filled = {};
  const faults = schemas.get(schema, 'input').validate(filled, '');
  return Object.keys(filled).flatMap((name) => {
    const place = memberPointer('', name);
    const fault = faults.find(({ pointer }) => pointer === place || pointer.startsWith(`${place}/`));
    if (!fault) return [];
    const pointer = shownPointer(`/input${memberPointer('/properties', name)}/default`);
    return [{ pointer, code: 'default_invalid', detail: `does not fit its own schema: ${fault.detail}` }];
  });
}
