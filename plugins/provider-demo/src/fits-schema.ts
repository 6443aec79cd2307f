import { isDeepStrictEqual } from 'node:util';
import type { JsonObject, JsonValue, Schema, SchemaType } from '@patchbay/core/plugin';
import { fullFormats } from 'ajv-formats/dist/formats.js';
import { RE2JS } from 're2js';
import words from './words.json' with { type: 'json' };

/** Steps that one match of a pattern may take: about 50 ms. */
const MAX_STEPS = 1_000_000;

/** Whether a value is valid. Patterns that RE2 cannot compile, or that cost too much to match, do not fit. */
export function fitsSchema(schema: Schema, value: JsonValue): boolean {
  const { type, const: constant, enum: values, anyOf } = schema;
  if (type !== undefined && ![type].flat().some((name) => isOfType(value, name as SchemaType))) return false;
  if (constant !== undefined && !isDeepStrictEqual(constant, value)) return false;
  if (values && !values.some((each) => isDeepStrictEqual(each, value))) return false;
  if (anyOf && !anyOf.some((option) => fitsSchema(option, value))) return false;
  if (typeof value === 'string') return fitsString(schema, value);
  if (typeof value === 'number') return fitsNumber(schema, value);
  if (Array.isArray(value)) return fitsArray(schema, value);
  return isObject(value) ? fitsObject(schema, value) : true;
}

/** The test of a pattern, and the steps it takes for one character; undefined for what RE2 cannot do. */
export function compilePattern(pattern: string) {
  try {
    const compiled = RE2JS.compile(pattern);
    const cost = compiled.programSize();
    return { cost, test: (text: string) => cost * text.length <= MAX_STEPS && compiled.matcher(text).find() };
  } catch {
    return undefined;
  }
}

function isObject(value: JsonValue): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function isOfType(value: JsonValue, type: SchemaType): boolean {
  if (type === 'null') return value === null;
  if (type === 'array') return Array.isArray(value);
  if (type === 'object') return isObject(value);
  return type === 'integer' ? Number.isInteger(value) : typeof value === type;
}

function fitsString({ minLength = 0, maxLength, pattern, format }: Schema, value: string): boolean {
  const length = Array.from(value).length;
  if (length < minLength || length > (maxLength ?? length)) return false;
  if (format !== undefined && !hasFormat(format, value)) return false;
  return pattern === undefined || compilePattern(pattern)?.test(value) === true;
}

function fitsNumber(schema: Schema, value: number): boolean {
  const { minimum = value, maximum = value, exclusiveMinimum, exclusiveMaximum, multipleOf } = schema;
  if (value < minimum || value > maximum) return false;
  if (exclusiveMinimum !== undefined && value <= exclusiveMinimum) return false;
  if (exclusiveMaximum !== undefined && value >= exclusiveMaximum) return false;
  return multipleOf === undefined || Number.isSafeInteger(value / multipleOf);
}

function fitsArray({ items, minItems = 0, maxItems }: Schema, value: readonly JsonValue[]): boolean {
  if (value.length < minItems || value.length > (maxItems ?? value.length)) return false;
  if (typeof items !== 'object') return items !== false || value.length === 0;
  return value.every((item) => fitsSchema(items, item));
}

function fitsObject({ properties = {}, required = [], additionalProperties = true }: Schema, value: JsonObject) {
  if (!required.every((name) => Object.hasOwn(value, name))) return false;
  return Object.entries(value).every(([name, member]) => {
    const own = Object.hasOwn(properties, name) ? properties[name] : additionalProperties;
    return typeof own === 'object' ? fitsSchema(own, member) : own === true;
  });
}

/** The formats that a schema may name, each with a placeholder. */
export const formatPlaceholders: ReadonlyMap<string, string> = new Map(Object.entries(words.formatPlaceholders));

/** Longer values are not checked, because some of the expressions take quadratic time. */
const MAX_LENGTH = 2_000;

/** Whether a text has a format; every text has a format that is not known. */
export function hasFormat(format: string, text: string): boolean {
  if (!formatPlaceholders.has(format)) return true;
  if (text.length > MAX_LENGTH) return false;
  const definition = fullFormats[format as keyof typeof fullFormats] as Definition | { readonly validate: Definition };
  const validate = 'validate' in definition ? definition.validate : definition;
  return validate instanceof RegExp ? validate.test(text) : validate(text);
}

type Definition = RegExp | ((text: string) => boolean);
