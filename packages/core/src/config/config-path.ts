import { memberPointer } from '@patchbay/contracts/base/json-pointer';
import type { OptionSchema } from '@patchbay/contracts/config-schema';

/** The path of a value in a config: keys and indexes. */
export type ConfigPath = readonly (string | number)[];

/** `providers.openai.with.hosts[0]`; the root is `config`. */
export function formatPath(path: ConfigPath): string {
  if (path.length === 0) return 'config';
  return path.map(formatStep).join('').replace(/^\./, '');
}

export function pathPointer(path: ConfigPath): string {
  return path.reduce<string>((pointer, step) => memberPointer(pointer, String(step)), '');
}

function formatStep(step: string | number): string {
  if (typeof step === 'number') return `[${step}]`;
  return /^[\w@/-]+$/.test(step) ? `.${step}` : `[${JSON.stringify(step)}]`;
}

/** An object as created by a literal, and not a plugin. */
export function isPlainObject(value: unknown): value is Readonly<Record<string, unknown>> {
  if (typeof value !== 'object' || value === null || '$$type' in value) return false;
  const prototype: unknown = Object.getPrototypeOf(value);
  return prototype === Object.prototype || prototype === null;
}

/** The schema that a member of a value must match, if it is known. */
export function memberSchema(
  schema: OptionSchema | undefined,
  name: string,
  isIndex: boolean,
): OptionSchema | undefined {
  if (isIndex) return schema?.items;
  if (schema?.properties && Object.hasOwn(schema.properties, name)) return schema.properties[name];
  return typeof schema?.additionalProperties === 'object' ? schema.additionalProperties : undefined;
}
