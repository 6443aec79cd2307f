import { RE2JS } from 're2js';
import { patternSize } from './pattern-size.ts';

/** Bounds of a schema that a caller may store; beyond them, compiling or applying it can stall the process. */
export const schemaLimits = {
  /** UTF-8 bytes of the schema as JSON. */
  bytes: 65_536,
  /** Schemas within the schema, itself included. */
  nodes: 500,
  /** Schemas within each other. */
  depth: 16,
  enumValues: 1_000,
  alternatives: 8,
  patternLength: 512,
  /** Steps of the compiled pattern; the time per character of a value grows with it. */
  patternProgram: 500,
  /** Steps of all patterns of a schema, some 5 microseconds each to check and compile. */
  patternPrograms: 10_000,
  /** Bounds of all schemas of one request, such as the functions that a model can choose from. */
  requestBytes: 1_048_576,
  requestNodes: 10_000,
  requestPatternPrograms: 20_000,
} as const;

const schemaTypes: ReadonlySet<string> = new Set(['object', 'array', 'string', 'number', 'integer', 'boolean', 'null']);

export const schemaFormats: ReadonlySet<string> = new Set([
  'date-time',
  'date',
  'time',
  'email',
  'uri',
  'uuid',
  'hostname',
  'ipv4',
  'ipv6',
]);

/** Finds the fault in the value of a keyword, as a sentence; undefined if there is none. */
type KeywordCheck = (value: unknown) => string | undefined;

/** Something that can be a schema. */
export function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

const string: KeywordCheck = (value) => (typeof value === 'string' ? undefined : 'must be a string');
const number: KeywordCheck = (value) => (typeof value === 'number' ? undefined : 'must be a number');
const count: KeywordCheck = (value) =>
  Number.isSafeInteger(value) && (value as number) >= 0 ? undefined : 'must be an integer of 0 or more';
const anything: KeywordCheck = () => undefined;
const schema: KeywordCheck = (value) => (isObject(value) ? undefined : 'must be a schema object');

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

const format: KeywordCheck = (value) =>
  typeof value === 'string' && schemaFormats.has(value) ? undefined : `must be one of ${[...schemaFormats].join(', ')}`;

const values: KeywordCheck = (value) => {
  if (!Array.isArray(value) || value.length === 0) return 'must be a list with at least one value';
  return value.length <= schemaLimits.enumValues ? undefined : `must have at most ${schemaLimits.enumValues} values`;
};

const pattern: KeywordCheck = (value) => {
  if (typeof value !== 'string') return 'must be a string';
  if (value.length > schemaLimits.patternLength) return `must have at most ${schemaLimits.patternLength} characters`;
  // A bound first: compiling is what costs.
  if (patternSize(value) > 2 * schemaLimits.patternProgram) return 'is too complex';
  try {
    if (RE2JS.compile(value).programSize() <= schemaLimits.patternProgram) return undefined;
    return 'is too complex';
  } catch {
    return 'must be a regular expression in RE2 syntax, which has no look-around and no back-references';
  }
};

const alternatives: KeywordCheck = (value) => {
  if (!Array.isArray(value) || value.length === 0 || !value.every(isObject)) return 'must be a list of schema objects';
  return value.length <= schemaLimits.alternatives
    ? undefined
    : `must have at most ${schemaLimits.alternatives} schemas`;
};

const positive: KeywordCheck = (value) =>
  typeof value === 'number' && value > 0 ? undefined : 'must be a number greater than 0';

/** Every keyword that a schema may have. The first seven are those of the interface specification. */
export const schemaKeywords: ReadonlyMap<string, KeywordCheck> = new Map([
  ['type', type],
  ['properties', (value: unknown) => (isObject(value) ? undefined : 'must be an object of schemas')],
  ['required', names],
  ['items', schema],
  ['description', string],
  ['default', anything],
  ['enum', values],

  ['title', string],
  ['const', anything],
  ['format', format],
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
  [
    'additionalProperties',
    (value: unknown) => (typeof value === 'boolean' || isObject(value) ? undefined : 'must be a boolean or a schema'),
  ],
  ['anyOf', alternatives],
]);
