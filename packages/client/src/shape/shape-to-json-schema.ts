import { ShapeError } from './shape-error.ts';

type Schema = Record<string, unknown>;

const tagged = /^(.*)\((number|integer|boolean|string|date|datetime)\)$/s;
const formats: Readonly<Record<string, string>> = { date: 'date', datetime: 'date-time' };

/** The JSON Schema of a shape. The types in `shape.ts` say the same. */
export function shapeToJsonSchema(shape: unknown, path: string): Schema {
  if (shape === String) return { type: 'string' };
  if (shape === Number) return { type: 'number' };
  if (shape === Boolean) return { type: 'boolean' };
  if (typeof shape === 'string') return textSchema(shape);
  if (Array.isArray(shape)) return arraySchema(shape, path);
  if (typeof shape === 'object' && shape !== null) return objectSchema(shape, path);
  throw new ShapeError(path, `${String(shape)} is no shape; describe it, as in "how many (number)"`);
}

function textSchema(text: string): Schema {
  const [, before, tag = 'string'] = tagged.exec(text) ?? [];
  const description = (before ?? text).trim();
  if (before === undefined) {
    const options = text.split(' | ').map((option) => option.trim());
    if (options.length > 1 && options.every(isOption)) return { type: 'string', enum: options };
  }
  const format = formats[tag];
  return { type: format ? 'string' : tag, ...(format && { format }), ...(description && { description }) };
}

function isOption(text: string): boolean {
  return text !== '' && text.split(' ').length <= 3 && !/[,:;()?!]/.test(text);
}

function arraySchema(shape: readonly unknown[], path: string): Schema {
  if (shape.length > 1 && shape.every((item) => typeof item === 'string')) {
    return { type: 'array', items: { type: 'string' }, description: shape.join('; ') };
  }
  if (shape.length !== 1) {
    throw new ShapeError(path, `a list has one shape for all its items, not ${shape.length}`);
  }
  return { type: 'array', items: shapeToJsonSchema(shape[0], `${path}[]`) };
}

function objectSchema(shape: object, path: string): Schema {
  const required: string[] = [];
  const properties = Object.entries(shape).map(([key, value]) => {
    const optional = key.endsWith('?');
    const name = optional ? key.slice(0, -1) : key;
    if (!optional) required.push(name);
    return [name, shapeToJsonSchema(value, `${path}.${name}`)] as const;
  });
  // Unlike an assignment, this keeps a property that is called `__proto__`.
  return { type: 'object', properties: Object.fromEntries(properties), required, additionalProperties: false };
}
