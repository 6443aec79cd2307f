import { linearPatterns, patternFault } from './linear-patterns.ts';
import { schemaLimits } from './schema-limits.ts';
import { isObject } from './schemas-within.ts';

/** Keywords that validate nothing: notes for readers and tools. */
export const annotations = [
  '$comment',
  'examples',
  'deprecated',
  'readOnly',
  'writeOnly',
  'contentEncoding',
  'contentMediaType',
  'contentSchema',
  'discriminator',
] as const;

const schemaTypes: ReadonlySet<string> = new Set(['object', 'array', 'string', 'number', 'integer', 'boolean', 'null']);

/** Formats that are checked. Every other one is a note for readers, as the specification has it. */
export const schemaFormats: ReadonlySet<string> = new Set([
  'date-time',
  'date',
  'time',
  'duration',
  'email',
  'uri',
  'uuid',
  'hostname',
  'ipv4',
  'ipv6',
]);

/** Finds the fault in the value of a keyword, as a sentence; undefined if there is none. */
type KeywordCheck = (value: unknown) => string | undefined;

const string: KeywordCheck = (value) => (typeof value === 'string' ? undefined : 'must be a string');
const number: KeywordCheck = (value) => (typeof value === 'number' ? undefined : 'must be a number');
const count: KeywordCheck = (value) =>
  Number.isSafeInteger(value) && (value as number) >= 0 ? undefined : 'must be an integer of 0 or more';
const anything: KeywordCheck = () => undefined;
const boolean: KeywordCheck = (value) => (typeof value === 'boolean' ? undefined : 'must be true or false');
const schema: KeywordCheck = (value) =>
  isObject(value) || typeof value === 'boolean' ? undefined : 'must be a schema';
const namedSchemas: KeywordCheck = (value) => (isObject(value) ? undefined : 'must be an object of schemas');

const names: KeywordCheck = (value) => {
  if (!Array.isArray(value) || value.some((name) => typeof name !== 'string')) return 'must be a list of strings';
  return new Set(value).size === value.length ? undefined : 'must not name a property twice';
};

const type: KeywordCheck = (value) => {
  const types = Array.isArray(value) ? value : [value];
  const known = types.length > 0 && types.every((name) => typeof name === 'string' && schemaTypes.has(name));
  if (!known) return `must be one of ${[...schemaTypes].join(', ')}, or a list of them`;
  return new Set(types).size === types.length ? undefined : 'must not name a type twice';
};

const reference: KeywordCheck = (value) => {
  if (typeof value !== 'string' || value === '') return 'must be a reference within the schema, such as #/$defs/name';
  return value.includes('://') && !value.includes('#')
    ? 'must be a reference within the schema: no other document is loaded'
    : undefined;
};

const nameLists: KeywordCheck = (value) => {
  if (!isObject(value)) return 'must be an object of lists of names';
  return Object.values(value).every((list) => names(list) === undefined)
    ? undefined
    : 'must have a list of different names for each property';
};

const values: KeywordCheck = (value) => {
  if (!Array.isArray(value) || value.length === 0) return 'must be a list with at least one value';
  return value.length <= schemaLimits.enumValues ? undefined : `must have at most ${schemaLimits.enumValues} values`;
};

const pattern: KeywordCheck = (value) => {
  if (typeof value !== 'string') return 'must be a string';
  const linear = linearPatterns(value);
  return typeof linear === 'string' ? linear : undefined;
};

/**
 * Whether a pattern that cannot be matched in linear time is left to the accompanying format: generators write the
 * pattern of a format out in full.
 */
export function isLeftToFormat({ pattern: value, format }: Readonly<Record<string, unknown>>): boolean {
  if (typeof value !== 'string' || typeof format !== 'string' || !schemaFormats.has(format)) return false;
  return pattern(value) !== undefined;
}

const patternNames: KeywordCheck = (value) => {
  if (!isObject(value)) return 'must be an object of schemas';
  const faults = Object.keys(value).flatMap((name) => patternFault(name) ?? []);
  return faults.length === 0 ? undefined : `has a name that ${faults[0]}`;
};

const alternatives: KeywordCheck = (value) => {
  if (!Array.isArray(value) || value.length === 0 || !value.every((each) => schema(each) === undefined)) {
    return 'must be a list of schemas';
  }
  return value.length <= schemaLimits.alternatives
    ? undefined
    : `must have at most ${schemaLimits.alternatives} schemas`;
};

/** A list is what earlier drafts had in place of `prefixItems`. */
const items: KeywordCheck = (value) => (Array.isArray(value) ? alternatives(value) : schema(value));

const positive: KeywordCheck = (value) =>
  typeof value === 'number' && value > 0 ? undefined : 'must be a number greater than 0';

/** Every keyword that a schema may have. The first seven are those of the interface specification. */
export const schemaKeywords: ReadonlyMap<string, KeywordCheck> = new Map([
  ['type', type],
  ['properties', namedSchemas],
  ['required', names],
  ['items', items],
  ['description', string],
  ['default', anything],
  ['enum', values],

  ['title', string],
  ['const', anything],
  ['format', string],
  ['pattern', pattern],
  ['minLength', count],
  ['maxLength', count],
  ['minimum', number],
  ['maximum', number],
  ['exclusiveMinimum', number],
  ['exclusiveMaximum', number],
  ['multipleOf', positive],
  ['minItems', count],
  ['maxItems', count],
  ['uniqueItems', boolean],
  ['prefixItems', alternatives],
  ['additionalItems', schema],
  ['unevaluatedItems', schema],
  ['contains', schema],
  ['minContains', count],
  ['maxContains', count],
  ['minProperties', count],
  ['maxProperties', count],
  ['patternProperties', patternNames],
  ['propertyNames', schema],
  ['additionalProperties', schema],
  ['unevaluatedProperties', schema],
  ['dependentRequired', nameLists],
  ['dependentSchemas', namedSchemas],
  ['anyOf', alternatives],
  ['oneOf', alternatives],
  ['allOf', alternatives],
  ['not', schema],
  ['if', schema],
  ['then', schema],
  ['else', schema],
  ['$ref', reference],
  ['$defs', namedSchemas],
  ['definitions', namedSchemas],
  ['$id', string],
  ['$anchor', string],
  ['$schema', string],
  ...annotations.map((note): [string, KeywordCheck] => [note, anything]),
]);
