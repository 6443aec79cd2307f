import type { Schema } from '../../api/operations.generated.ts';

type Keywords = Schema & Readonly<Record<string, unknown>>;

const annotations = new Set(['$schema', 'title', 'description', 'default', 'examples']);
const checked = new Set(['type', 'enum', 'const', 'required', 'properties', 'items', 'additionalProperties']);

/** Whether all that a schema demands is checked by `misfitOf`. */
export function isCheckable(schema: Schema): boolean {
  const { items, properties = {}, additionalProperties, ...rest } = schema as Keywords;
  const isKnown = Object.keys(rest).every((name) => checked.has(name) || annotations.has(name));
  const isClosed = additionalProperties === undefined || typeof additionalProperties === 'boolean';
  return isKnown && isClosed && [...(items ? [items] : []), ...Object.values(properties)].every(isCheckable);
}

/**
 * Why a value does not fit a schema, with the JSON pointer to the position. Undefined: it fits.
 *
 * @param isWhole Otherwise members may be missing and strings may be cut off, as the value is still being written.
 */
export function misfitOf(schema: Schema, value: unknown, isWhole: boolean, pointer = ''): string | undefined {
  const keywords = schema as Keywords;
  const place = pointer === '' ? 'The answer' : pointer;
  const types = schema.type === undefined ? [] : [schema.type].flat().map(String);
  if (types.length > 0 && !types.some((type) => isOfType(value, type))) return `${place} is not ${types.join(' or ')}`;
  const choices = 'const' in keywords ? [keywords['const']] : schema.enum;
  if (choices && !choices.some((choice) => isChoice(choice, value, isWhole)))
    return `${place} is not ${choices.map((choice) => JSON.stringify(choice)).join(' or ')}`;
  if (Array.isArray(value)) {
    const { items } = schema;
    return items && firstOf(value, (item, at) => misfitOf(items, item, isWhole, `${pointer}/${at}`));
  }
  if (typeof value !== 'object' || value === null) return undefined;
  const { properties = {}, required = [] } = schema;
  const missing = isWhole ? required.find((name) => !Object.hasOwn(value, name)) : undefined;
  if (missing !== undefined) return `${pointer}/${missing} is missing`;
  return firstOf(Object.entries(value), ([name, member]) => {
    const of = Object.hasOwn(properties, name) ? properties[name] : undefined;
    if (!of) return keywords['additionalProperties'] === false ? `${pointer}/${name} is not expected` : undefined;
    return misfitOf(of, member, isWhole, `${pointer}/${name}`);
  });
}

function isOfType(value: unknown, type: string): boolean {
  if (type === 'null') return value === null;
  if (type === 'array') return Array.isArray(value);
  if (type === 'integer') return Number.isInteger(value);
  if (type === 'object') return typeof value === 'object' && value !== null && !Array.isArray(value);
  return typeof value === type;
}

function isChoice(choice: unknown, value: unknown, isWhole: boolean): boolean {
  if (!isWhole && typeof choice === 'string' && typeof value === 'string') return choice.startsWith(value);
  return JSON.stringify(choice) === JSON.stringify(value);
}

function firstOf<T>(list: readonly T[], find: (item: T, at: number) => string | undefined): string | undefined {
  for (const [at, item] of list.entries()) {
    const found = find(item, at);
    if (found !== undefined) return found;
  }
  return undefined;
}
