import type { JsonObject, JsonValue, Schema, SchemaType } from '@patchbay/core/plugin';
import { matchesPattern } from '../pattern/match-pattern.ts';
import { parsePattern } from '../pattern/parse-pattern.ts';
import { formats } from './formats.ts';

/**
 * Whether a value is valid. What cannot be decided, such as a pattern that is not understood, does not fit: that way
 * everything that fits here fits every validator.
 */
export function fitsSchema(schema: Schema, value: JsonValue): boolean {
  const { type, const: constant, enum: values, anyOf } = schema;
  if (type !== undefined && ![type].flat().some((name) => isOfType(value, name as SchemaType))) return false;
  if (constant !== undefined && !isEqualJson(constant, value)) return false;
  if (values && !values.some((each) => isEqualJson(each, value))) return false;
  if (anyOf && !anyOf.some((option) => fitsSchema(option, value))) return false;
  if (typeof value === 'string') return fitsString(schema, value);
  if (typeof value === 'number') return fitsNumber(schema, value);
  if (Array.isArray(value)) return fitsArray(schema, value);
  return isObject(value) ? fitsObject(schema, value) : true;
}

export function isObject(value: JsonValue | undefined): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function isOfType(value: JsonValue, type: SchemaType): boolean {
  if (type === 'null') return value === null;
  if (type === 'array') return Array.isArray(value);
  if (type === 'object') return isObject(value);
  if (type === 'integer') return Number.isInteger(value);
  return typeof value === type && (type !== 'number' || Number.isFinite(value));
}

/** The same JSON, whatever the order of members. */
export function isEqualJson(one: JsonValue, other: JsonValue): boolean {
  if (Array.isArray(one) && Array.isArray(other)) {
    return one.length === other.length && one.every((item, index) => isEqualJson(item, other[index] as JsonValue));
  }
  if (!isObject(one) || !isObject(other)) return one === other;
  const names = Object.keys(one);
  if (names.length !== Object.keys(other).length) return false;
  return names.every(
    (name) => Object.hasOwn(other, name) && isEqualJson(one[name] as JsonValue, other[name] as JsonValue),
  );
}

function fitsString({ minLength = 0, maxLength, pattern, format }: Schema, value: string): boolean {
  const length = Array.from(value).length;
  if (length < minLength || length > (maxLength ?? length)) return false;
  if (format !== undefined && formats.get(format)?.matches(value) === false) return false;
  if (pattern === undefined) return true;
  const parsed = parsePattern(pattern);
  return parsed !== undefined && matchesPattern(parsed, value);
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
  return items === undefined || value.every((item) => fitsSchema(items, item));
}

function fitsObject({ properties = {}, required = [], additionalProperties = true }: Schema, value: JsonObject) {
  if (!required.every((name) => Object.hasOwn(value, name))) return false;
  return Object.entries(value).every(([name, member]) => {
    const own = Object.hasOwn(properties, name) ? properties[name] : undefined;
    if (own) return fitsSchema(own, member);
    if (typeof additionalProperties === 'boolean') return additionalProperties;
    return fitsSchema(additionalProperties, member);
  });
}
