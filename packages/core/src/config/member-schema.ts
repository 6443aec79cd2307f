import type { OptionSchema } from '../contracts/config-schema.ts';

/** The schema that a member of a value has to fit, where it is known. */
export function memberSchema(
  schema: OptionSchema | undefined,
  name: string,
  isIndex: boolean,
): OptionSchema | undefined {
  if (isIndex) return schema?.items;
  if (schema?.properties && Object.hasOwn(schema.properties, name)) return schema.properties[name];
  return typeof schema?.additionalProperties === 'object' ? schema.additionalProperties : undefined;
}
