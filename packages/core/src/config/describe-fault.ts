import type { ErrorObject } from 'ajv';
import { didYouMean } from '../base/names.ts';
import type { OptionSchema } from '../contracts/config-schema.ts';
import type { ConfigPath } from './config-path.ts';
import type { ConfigProblem } from './config-problem.ts';
import { expectedFormat } from './option-formats.ts';

export interface CheckedValue {
  readonly schema: OptionSchema;
  readonly value: unknown;
  readonly path: ConfigPath;
  /** Whose options these are. */
  readonly owner: string | undefined;
}

/** A fault that Ajv found, in words for whoever wrote the config. */
export function describeFault(fault: ErrorObject, checked: CheckedValue): ConfigProblem {
  const { keyword, params } = fault;
  const { schema, value, steps } = descend(fault.instancePath, checked);
  const path = [...checked.path, ...steps];
  const problem = (message: string, code = keyword): ConfigProblem => ({ path, code, message });

  switch (keyword) {
    case 'required': {
      const name: string = params['missingProperty'];
      const [only, ...others] = schema?.properties?.[name]?.enum ?? [];
      const line = only === undefined || others.length > 0 ? '' : `: write "${name}: ${String(only)}"`;
      return { path: [...path, name], code: 'required', message: `is required${by(checked.owner)}${line}` };
    }
    case 'additionalProperties': {
      const name: string = params['additionalProperty'];
      const known = Object.keys(schema?.properties ?? {});
      const message = `is not an option${of(checked.owner)}${didYouMean(name, known)}`;
      return { path: [...path, name], code: 'unknown_option', message };
    }
    case 'type':
      return problem(`must be ${article(String(params['type']))}${quotingHint(params['type'], value)}`);
    case 'enum': {
      const allowed: readonly unknown[] = params['allowedValues'];
      const hint = typeof value === 'string' && !schema?.writeOnly ? didYouMean(value, allowed.map(String)) : '';
      return problem(`must be one of ${allowed.map((one) => JSON.stringify(one)).join(', ')}${hint}`);
    }
    case 'format':
      return problem(`must be ${expectedFormat(String(params['format']))}`);
    default:
      return problem(fault.message ?? 'is not valid');
  }
}

/** Follow a pointer into the value, and its schema along with it. */
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

/** The schema that a member of a value has to fit, where it is known. */
export function memberSchema(
  schema: OptionSchema | undefined,
  name: string,
  isIndex: boolean,
): OptionSchema | undefined {
  if (isIndex) return schema?.items;
  if (schema?.properties && Object.hasOwn(schema.properties, name)) return schema.properties[name];
  return typeof schema?.additionalProperties === 'object' ? schema.additionalProperties : undefined;
}

/** The most frequent slip of a config file: quotes too many, or too few. */
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

function of(owner: string | undefined): string {
  return owner === undefined ? '' : ` of ${owner}`;
}

function by(owner: string | undefined): string {
  return owner === undefined ? '' : ` by ${owner}`;
}
