import { jsonTextOf } from '@patchbay/contracts/base/json-text';
import { type ErrorDetail, PatchbayError } from '@patchbay/contracts/errors';
import type { FunctionSettings } from '@patchbay/contracts/function-settings';
import type { JsonObject, JsonValue } from '@patchbay/contracts/json';
import type { Schema } from '@patchbay/contracts/json-schema';
import type { FunctionRow } from '@patchbay/contracts/rows';
import { resolvedSchema } from '@patchbay/contracts/schema/resolve-schema';
import type { SchemaService } from '@patchbay/contracts/schema/schema-service';

const MAX_FAULTS = 50;

/**
 * Validate what a schema of settings cannot express: placeholders, examples of this function, and the property by which its
 * runs are counted.
 *
 * @param parts.pointer Where the settings are in the body.
 * @throws PatchbayError `invalid_request` with every fault, up to 50.
 */
export async function checkSettings(
  { prompt = '', examples = [], concurrency }: FunctionSettings,
  schemaOf: Pick<FunctionRow, 'input' | 'output'>,
  { schemas, tenant, pointer }: { readonly schemas: SchemaService; readonly tenant: string; readonly pointer: string },
): Promise<void> {
  const placeholders: readonly ErrorDetail[] = unknownPlaceholders(prompt).map((text) => ({
    pointer: `${pointer}/prompt`,
    code: 'unknown_placeholder',
    detail: `${text.slice(0, 100)} is neither {{input}}, a member of it, {{name}} nor {{description}}`,
  }));
  const misfits: ErrorDetail[] = [];
  for (const [index, example] of examples.entries()) {
    for (const role of ['input', 'output'] as const) {
      const document = { text: jsonTextOf(example[role]), role, pointer: `${pointer}/examples/${index}/${role}` };
      const { faults } = await schemas.validate(tenant, schemaOf[role], document);
      misfits.push(...faults);
    }
  }
  const by = concurrency?.by;
  const uncounted: readonly ErrorDetail[] =
    by === undefined || mayHave(resolvedSchema(schemaOf.input), by)
      ? []
      : [{ pointer: `${pointer}/concurrency/by`, code: 'unknown_property', detail: 'must be a property of the input' }];
  const errors = [...placeholders, ...misfits, ...uncounted].slice(0, MAX_FAULTS);
  if (errors.length > 0)
    throw new PatchbayError('invalid_request', 'the settings do not match the function', { errors });
}

/** Whether a value can have a property. Any, unless the schema, which is resolved, allows only those that it names. */
function mayHave(schema: Schema, name: string): boolean {
  const { properties = {}, patternProperties, additionalProperties, allOf = [] } = schema;
  const isOpen = additionalProperties !== false || patternProperties !== undefined;
  return (isOpen || Object.hasOwn(properties, name)) && allOf.every((each) => mayHave(each, name));
}

/** The values for a template. */
export interface TemplateValues {
  readonly name: string;
  readonly description: string;
  readonly input: JsonObject;
}

// Whitespace is trimmed afterwards: a pattern that trims it itself tries every way to split a run of it.
const placeholder = /\{\{([^{}]*)\}\}/g;
const known = /^(?:name|description|input(?:\.[^\s.{}]+)*)$/;

/** The unknown placeholders of a template. */
export function unknownPlaceholders(template: string): readonly string[] {
  return [...template.matchAll(placeholder)].flatMap(([whole, path = '']) => (known.test(path.trim()) ? [] : [whole]));
}

/** Fill in a template: strings verbatim, other values as JSON, missing values as an empty string. */
export function fillTemplate(template: string, values: TemplateValues): string {
  return template.replaceAll(placeholder, (whole, given: string) => {
    const path = given.trim();
    if (!known.test(path)) return whole;
    const [root = '', ...names] = path.split('.');
    let value: JsonValue | undefined = values[root as keyof TemplateValues];
    for (const name of names) value = member(value, name);
    if (value === undefined) return '';
    return typeof value === 'string' ? value : JSON.stringify(value);
  });
}

function member(value: JsonValue | undefined, name: string): JsonValue | undefined {
  if (typeof value !== 'object' || value === null || !Object.hasOwn(value, name)) return undefined;
  return (value as JsonObject)[name];
}
