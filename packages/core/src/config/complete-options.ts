import type { OptionSchema } from '@patchbay/contracts/config-schema';
import { type ConfigPath, isPlainObject, memberSchema, pathPointer } from './config-path.ts';

/**
 * A copy of a value with defaults filled in, in which interpolated strings have become the number or boolean that the schema
 * requires: `${PORT}` can only be a string. Literal values are not converted: "8080" in quotes is an error.
 * Undefined members, as in a config in JavaScript, are dropped.
 */
export function completeOptions(
  value: unknown,
  schema: OptionSchema | undefined,
  path: ConfigPath,
  interpolated: ReadonlySet<string>,
): unknown {
  if (Array.isArray(value)) {
    return value.map((item, index) => completeOptions(item, schema?.items, [...path, index], interpolated));
  }
  if (isPlainObject(value)) {
    const given = Object.entries(value).filter(([, member]) => member !== undefined);
    const names = new Set(given.map(([name]) => name));
    const defaults = Object.entries(schema?.properties ?? {}).flatMap(([name, option]) =>
      option.default === undefined || names.has(name) ? [] : [[name, option.default] as const],
    );
    const members = [...given, ...defaults].map(([name, member]) => {
      return [name, completeOptions(member, memberSchema(schema, name, false), [...path, name], interpolated)] as const;
    });
    return Object.fromEntries(members);
  }
  return typeof value === 'string' && interpolated.has(pathPointer(path)) ? scalar(value, schema?.type) : value;
}

function scalar(text: string, type: OptionSchema['type'] | undefined): string | number | boolean {
  if ((type === 'integer' || Array.isArray(type)) && /^-?\d+$/.test(text)) return Number(text);
  if (type === 'number' && /^-?\d+(\.\d+)?(e[+-]?\d+)?$/i.test(text)) return Number(text);
  if (type === 'boolean' && (text === 'true' || text === 'false')) return text === 'true';
  return text;
}
