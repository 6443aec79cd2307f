import { didYouMean, PatchbayError } from '@patchbay/core';
import type { ErrorDetail } from '../service-types.ts';

/** A query parameter: an integer with bounds, or a string, optionally limited to a list of values or to times. */
export type QueryParameter =
  | {
      readonly type: 'integer';
      readonly minimum: number;
      readonly maximum: number;
      readonly default: number;
      readonly description: string;
    }
  | {
      readonly type: 'string';
      readonly enum?: readonly string[];
      /** Handlers receive it in UTC, with milliseconds. */
      readonly format?: 'date-time';
      readonly maxLength?: number;
      readonly pattern?: RegExp;
      readonly default?: string;
      readonly description: string;
    };

export type QueryParameters = Readonly<Record<string, QueryParameter>>;

type ValueOf<P extends QueryParameter> = P extends { readonly type: 'integer' }
  ? number
  : P extends { readonly enum: readonly (infer E)[] }
    ? E
    : string;

/** The type that a checked query has. */
export type QueryOf<Q extends QueryParameters> = {
  readonly [N in keyof Q]: Q[N] extends { readonly default: unknown } ? ValueOf<Q[N]> : ValueOf<Q[N]> | undefined;
};

/** Reads the query string of a request by the parameters of its row. */
export type QueryReader = (query: string) => Readonly<Record<string, string | number | undefined>>;

const MAX_FAULTS = 50;
const integer = /^(?:0|-?[1-9]\d{0,14})$/;
const dateTime = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d{1,9})?(?:Z|[+-]\d\d:\d\d)$/;

/** Make a reader once per row; reading an absent query is free. */
export function createQueryReader(declared: QueryParameters): QueryReader {
  const parameters = new Map(Object.entries(declared));
  const names = [...parameters.keys()];
  const defaults = Object.freeze(
    Object.fromEntries(Object.entries(declared).map(([name, { default: value }]) => [name, value])),
  );
  return (query) => {
    if (query === '') return defaults;
    const values: Record<string, string | number | undefined> = { ...defaults };
    const seen = new Set<string>();
    const faults: ErrorDetail[] = [];
    for (const [name, text] of pairs(query)) {
      const parameter = parameters.get(name);
      const fault = (code: string, detail: string) => faults.push({ pointer: `?${name.slice(0, 100)}`, code, detail });
      if (!parameter) fault('unknown_parameter', `is not a parameter here${didYouMean(name, names)}`);
      else if (seen.has(name)) fault('repeated', 'must be given once');
      else {
        seen.add(name);
        const checked = check(text, parameter);
        if ('fault' in checked) fault(...checked.fault);
        else values[name] = checked.value;
      }
      if (faults.length === MAX_FAULTS) break;
    }
    if (faults.length > 0) throw new PatchbayError('invalid_request', 'the query is not valid', { errors: faults });
    return values;
  };
}

function check(
  text: string | undefined,
  parameter: QueryParameter,
): { value: string | number } | { fault: [string, string] } {
  if (text === undefined || /\p{Cc}/u.test(text)) return { fault: ['encoding', 'is not valid percent-encoded text'] };
  if (parameter.type === 'integer') {
    const { minimum, maximum } = parameter;
    const value = integer.test(text) ? Number(text) : Number.NaN;
    if (value >= minimum && value <= maximum) return { value };
    return { fault: ['out_of_range', `must be an integer from ${minimum} to ${maximum}`] };
  }
  if (parameter.enum && !parameter.enum.includes(text)) {
    return { fault: ['enum', `must be one of ${parameter.enum.join(', ')}`] };
  }
  if (parameter.format) {
    const time = dateTime.test(text) && isDay(text.slice(0, 10)) ? Date.parse(text) : Number.NaN;
    if (!Number.isNaN(time)) return { value: new Date(time).toISOString() };
    return { fault: ['invalid_time', 'must be a time such as 2027-01-31T12:00:00Z'] };
  }
  if (text.length > (parameter.maxLength ?? 1_000)) return { fault: ['too_long', 'is too long'] };
  if (parameter.pattern && !parameter.pattern.test(text)) {
    return { fault: ['pattern', `must match ${parameter.pattern.source}`] };
  }
  return { value: text };
}

/** A day such as 2026-02-30 would be parsed as another day. */
function isDay(text: string): boolean {
  const time = Date.parse(text);
  return !Number.isNaN(time) && new Date(time).toISOString().startsWith(text);
}

/** The pairs of a query string. A string that is not valid percent-encoded UTF-8 is undefined. */
function* pairs(query: string): Generator<[name: string, value: string | undefined]> {
  for (const part of query.split('&')) {
    if (part === '') continue;
    const equals = part.indexOf('=');
    const name = decode(equals < 0 ? part : part.slice(0, equals)) ?? part;
    yield [name, equals < 0 ? '' : decode(part.slice(equals + 1))];
  }
}

function decode(text: string): string | undefined {
  try {
    return decodeURIComponent(text.replaceAll('+', ' '));
  } catch {
    return undefined;
  }
}
