import { type ErrorDetail, PatchbayError } from '../contracts/errors.ts';
import type { FunctionSettings } from '../contracts/function-settings.ts';
import type { FunctionRow } from '../contracts/rows.ts';
import type { SchemaCache } from '../schema/schema-cache.ts';
import { unknownPlaceholders } from './prompt-template.ts';

const MAX_FAULTS = 50;

/**
 * Make sure of what a schema of settings cannot say: that placeholders mean something, and that examples are of this
 * function.
 *
 * @param pointer Where the settings are in the body.
 * @throws PatchbayError `invalid_request` with every fault, up to 50.
 */
export function checkSettings(
  { prompt = '', examples = [] }: FunctionSettings,
  schemaOf: Pick<FunctionRow, 'input' | 'output'>,
  schemas: SchemaCache,
  pointer: string,
): void {
  const placeholders: readonly ErrorDetail[] = unknownPlaceholders(prompt).map((text) => ({
    pointer: `${pointer}/prompt`,
    code: 'unknown_placeholder',
    detail: `${text.slice(0, 100)} is neither {{input}}, a member of it, {{name}} nor {{description}}`,
  }));
  const misfits = examples.flatMap((example, index) =>
    (['input', 'output'] as const).flatMap((role) =>
      // A copy, because the validator fills defaults into what it checks.
      schemas
        .get(schemaOf[role], role)
        .validate(structuredClone(example[role]), `${pointer}/examples/${index}/${role}`),
    ),
  );
  const errors = [...placeholders, ...misfits].slice(0, MAX_FAULTS);
  if (errors.length > 0) throw new PatchbayError('invalid_request', 'the settings do not fit the function', { errors });
}
