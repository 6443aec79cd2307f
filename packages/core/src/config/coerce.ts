import type { OptionSchema } from '../contracts/config-schema.ts';
import { type ConfigPath, isPlainObject, pathPointer } from './config-path.ts';
import { memberSchema } from './describe-fault.ts';

/**
 * A copy of a value in which texts that were put together have become the number or boolean that the schema wants:
 * `${PORT}` can be nothing but a text. What stands in the file itself is not touched: "8080" in quotes is a mistake.
 * Members that are undefined, as a config in JavaScript may have them, are left out.
 */
export function coerce(
  value: unknown,
  schema: OptionSchema | undefined,
  path: ConfigPath,
  interpolated: ReadonlySet<string>,
): unknown {
  if (Array.isArray(value)) {
    return value.map((item, index) => coerce(item, schema?.items, [...path, index], interpolated));
  }
  if (isPlainObject(value)) {
    const present = Object.entries(value).filter(([, member]) => member !== undefined);
    const members = present.map(([name, member]) => {
      return [name, coerce(member, memberSchema(schema, name, false), [...path, name], interpolated)] as const;
    });
    return Object.fromEntries(members);
  }
  return typeof value === 'string' && interpolated.has(pathPointer(path)) ? scalar(value, schema?.type) : value;
}

function scalar(text: string, type: OptionSchema['type'] | undefined): string | number | boolean {
  if (type === 'integer' && /^-?\d+$/.test(text)) return Number(text);
  if (type === 'number' && /^-?\d+(\.\d+)?(e[+-]?\d+)?$/i.test(text)) return Number(text);
  if (type === 'boolean' && (text === 'true' || text === 'false')) return text === 'true';
  return text;
}
