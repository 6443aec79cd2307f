import { memberPointer } from '@patchbay/contracts/base/json-pointer';
import { didYouMean } from '@patchbay/contracts/base/names';
import type { ConfigSchema, OptionSchema } from '@patchbay/contracts/config-schema';
import { isAddressRange } from '@patchbay/outbound/egress/address-range';
import { isProxyUrl } from '@patchbay/outbound/egress/proxy-rules';
import { Ajv, type ErrorObject, type ValidateFunction } from 'ajv';
import { fullFormats } from 'ajv-formats/dist/formats.js';
import { completeOptions } from './complete-options.ts';
import { type ConfigPath, isPlainObject, memberSchema, pathPointer } from './config-path.ts';
import type { ConfigProblem } from './config-problem.ts';

export interface OptionsContext {
  /** Owner of the options, for messages. */
  readonly owner?: string | undefined;
  /** Pointers of interpolated strings, which may become numbers and booleans. */
  readonly interpolated?: ReadonlySet<string> | undefined;
  /** Whether the schema is known to be valid and its defaults match it. Default: false, as for plugins. */
  readonly isProven?: boolean;
}

type Members = Pick<OptionSchema, 'properties' | 'required'>;

/**
 * Validate options against a schema.
 *
 * @throws Error if the schema itself cannot be used.
 */
export function checkOptions(
  schema: ConfigSchema,
  options: object,
  path: ConfigPath,
  { owner, interpolated = new Set(), isProven = false }: OptionsContext = {},
) {
  const root: OptionSchema = { type: 'object', ...schema };
  const value = completeOptions(options, root, path, interpolated) as object;
  const faults = faultsOf(value, options, schema, isProven);
  const problems = faults.map((fault) => describeFault(fault, { schema: root, value, path, owner }));
  return { value, problems: firstOfEachPath(problems) };
}

/**
 * Member by member: most options are omitted or have their default, and compiling all their schemas takes longer than
 * loading the config.
 */
function faultsOf(value: object, given: object, schema: Members, isProven: boolean): ErrorObject[] {
  const members = Object.entries(schema.properties ?? {}).flatMap(([name, option]) => {
    const from: unknown = Object.hasOwn(given, name) ? Reflect.get(given, name) : undefined;
    const isDefault = from === undefined || from === option.default;
    if (isProven && isDefault && !hasRequired(option)) return [];
    const member: unknown = Reflect.get(value, name);
    const faults =
      isPlainObject(member) && option.properties && option.additionalProperties === undefined
        ? faultsOf(member, Object(from), option, isProven)
        : faultsBy(compiled(option, ofOptions, closed), member);
    return faults.map((fault) => ({ ...fault, instancePath: memberPointer('', name) + fault.instancePath }));
  });
  return [...faultsBy(compiled(schema, ofNames, namesOf), value), ...members];
}

/** A missing value has no faults. */
function faultsBy(validate: ValidateFunction, value: unknown): readonly ErrorObject[] {
  return value === undefined || validate(value) ? [] : (validate.errors ?? []);
}

// Compiling a schema takes longer than the rest of a check, and a plugin may have many mounts and reloads.
const ofOptions = new WeakMap<OptionSchema, ValidateFunction>();
const ofNames = new WeakMap<Members, ValidateFunction>();

function compiled<S extends object>(schema: S, known: WeakMap<S, ValidateFunction>, toAjv: (schema: S) => object) {
  const before = known.get(schema);
  if (before) return before;
  const source = toAjv(schema);
  const validate = ajv.compile(source);
  // Ajv would keep it forever, even for a plugin that is no longer mounted.
  ajv.removeSchema(source);
  known.set(schema, validate);
  return validate;
}

/** Whether an omitted option may still lack a required member. */
const hasRequired = ({ required = [], properties = {} }: OptionSchema): boolean =>
  required.length > 0 || Object.values(properties).some(hasRequired);

/** Which members are required, and which are allowed. */
function namesOf({ properties = {}, required }: Members): object {
  const names = Object.fromEntries(Object.keys(properties).map((name) => [name, true]));
  return { type: 'object', properties: names, additionalProperties: false, ...(required && { required }) };
}

/** A value of the wrong type is not one of the allowed values either: report it once. */
function firstOfEachPath(problems: readonly ConfigProblem[]): ConfigProblem[] {
  const byPath = new Map<string, ConfigProblem>();
  for (const problem of problems) {
    const pointer = pathPointer(problem.path);
    if (!byPath.has(pointer)) byPath.set(pointer, problem);
  }
  return [...byPath.values()];
}

/** An object with declared properties accepts no others, unless its schema allows them: typos must not pass silently. */
function closed(schema: OptionSchema): OptionSchema {
  const { properties, items, additionalProperties } = schema;
  return {
    ...schema,
    ...(properties && {
      properties: Object.fromEntries(Object.entries(properties).map(([name, option]) => [name, closed(option)])),
      additionalProperties: false,
    }),
    ...(items && { items: closed(items) }),
    ...(additionalProperties !== undefined && {
      additionalProperties:
        typeof additionalProperties === 'object' ? closed(additionalProperties) : additionalProperties,
    }),
  };
}

interface CheckedValue {
  readonly schema: OptionSchema;
  readonly value: unknown;
  readonly path: ConfigPath;
  readonly owner: string | undefined;
}

/** An error of Ajv, as a message for the author of the config. */
function describeFault(fault: ErrorObject, checked: CheckedValue): ConfigProblem {
  const { keyword, params } = fault;
  const { schema, value, steps } = descend(fault.instancePath, checked);
  const path = [...checked.path, ...steps];
  const problem = (message: string, code = keyword): ConfigProblem => ({ path, code, message });

  switch (keyword) {
    case 'required': {
      const name: string = params['missingProperty'];
      const [only, ...others] = schema?.properties?.[name]?.enum ?? [];
      const line = only === undefined || others.length > 0 ? '' : `: write "${name}: ${String(only)}"`;
      return { path: [...path, name], code: 'required', message: `is required${ownerAfter('by', checked)}${line}` };
    }
    case 'additionalProperties': {
      const name: string = params['additionalProperty'];
      const known = Object.keys(schema?.properties ?? {});
      const message = `is not an option${ownerAfter('of', checked)}${didYouMean(name, known)}`;
      return { path: [...path, name], code: 'unknown_option', message };
    }
    case 'type':
      return problem(
        `must be ${article(String(params['type']).replace(',', ' or '))}${quotingHint(params['type'], value)}`,
      );
    case 'enum': {
      const allowed: readonly unknown[] = params['allowedValues'];
      const hint = typeof value === 'string' && !schema?.writeOnly ? didYouMean(value, allowed.map(String)) : '';
      return problem(`must be one of ${allowed.map((one) => JSON.stringify(one)).join(', ')}${hint}`);
    }
    case 'pattern': {
      // The message of a pattern is its source; its meaning is next to it.
      const hint = Array.isArray(schema?.type) ? quotingHint('integer', value) : '';
      return problem(`${schema?.$comment ?? fault.message ?? 'is not valid'}${hint}`);
    }
    case 'format':
      return problem(`must be ${expectedFormat(String(params['format']))}`);
    default:
      return problem(fault.message ?? 'is not valid');
  }
}

function descend(pointer: string, { schema, value }: CheckedValue) {
  const steps: (string | number)[] = [];
  let at: { schema: OptionSchema | undefined; value: unknown } = { schema, value };
  for (const raw of pointer.split('/').slice(1)) {
    const name = raw.replaceAll('~1', '/').replaceAll('~0', '~');
    const isIndex = Array.isArray(at.value);
    steps.push(isIndex ? Number(name) : name);
    at = { schema: memberSchema(at.schema, name, isIndex), value: Reflect.get(Object(at.value), name) };
  }
  return { ...at, steps };
}

/** The most frequent error of a config file: missing or superfluous quotes. */
function quotingHint(type: unknown, value: unknown): string {
  if (value === null) return ', but is empty';
  const isNumber = typeof value === 'string' && value.trim() !== '' && Number.isFinite(Number(value));
  const isBoolean = value === 'true' || value === 'false';
  const bare = type === 'boolean' ? isBoolean : (type === 'integer' || type === 'number') && isNumber;
  if (bare) return ': write it without quotes';
  return type === 'string' && ['number', 'boolean'].includes(typeof value) ? ': put it in quotes' : '';
}

function article(type: string): string {
  return /^[aio]/.test(type) ? `an ${type}` : `a ${type}`;
}

function ownerAfter(word: 'by' | 'of', { owner }: CheckedValue): string {
  return owner === undefined ? '' : ` ${word} ${owner}`;
}

/** Formats of options beyond those of JSON Schema, and how messages describe them. */
const ownFormats = {
  'address-range': {
    fits: isAddressRange,
    expected: 'an IPv4 or IPv6 address, or a network such as 10.0.0.0/8',
  },
  'proxy-url': {
    fits: isProxyUrl,
    expected: 'the URL of an HTTP proxy such as http://proxy.example:3128, without a path',
  },
} as const;

const optionFormats = {
  ...fullFormats,
  ...Object.fromEntries(Object.entries(ownFormats).map(([name, { fits }]) => [name, fits])),
};

const ajv = new Ajv({
  allErrors: true,
  ownProperties: true,
  strict: false,
  strictNumbers: true,
  logger: false,
  // Compiling the meta-schema would take longer than the rest of the startup.
  meta: false,
  validateSchema: false,
  // Takes nearly half of a compilation, for a function that is called only a few times.
  code: { optimize: false },
  formats: optionFormats,
});

/** The format in words: `must be …`. */
export function expectedFormat(name: string): string {
  const own = Object.entries(ownFormats).find(([each]) => each === name)?.[1];
  return own?.expected ?? `in the format "${name}"`;
}
