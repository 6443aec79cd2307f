import { didYouMean, type ErrorCode, PatchbayError, type Scope } from '@patchbay/core';
import type { Attributes } from '@patchbay/core/plugin';
import type { BodyValidator } from './input/body.ts';
import type { Area, BodyRule, Method, Operation, ProtectedOperation } from './operation.ts';
import type { ErrorDetail } from './service-types.ts';

/** Path prefix of the areas: one for all, or one for each; default: none. No trailing slash. */
export type BasePath = string | { readonly [A in Area]?: string };

/** A row of the table at its path, with everything that is prepared once. */
export interface Route {
  readonly operation: Operation;
  readonly basePath: string;
  /** `basePath` and the path of the row. */
  readonly path: string;
  readonly readQuery: QueryReader | undefined;
  readonly validateBody: BodyValidator | undefined;
  /** The labels of a response in metrics. */
  readonly labelsOf: (status: number) => Attributes;
}

export function createRoutes(
  operations: readonly Operation[],
  basePath: BasePath,
  validatorFor: (rule: BodyRule<unknown>) => BodyValidator,
): readonly Route[] {
  const basePaths = basePathsOf(basePath);
  return operations.map((operation) => {
    const base = basePaths[operation.area];
    const { query, body } = isProtected(operation) ? operation : ({} as Partial<ProtectedOperation>);
    return {
      operation,
      basePath: base,
      path: base + operation.path,
      readQuery: isProtected(operation) ? createQueryReader(query ?? {}) : undefined,
      validateBody: body && !body.raw ? validatorFor(body) : undefined,
      labelsOf: createResponseLabels(operation.method, base + operation.path),
    };
  });
}

/** The same object for the same status: a metric finds its series by it. */
function createResponseLabels(method: string, path: string): Route['labelsOf'] {
  const known = new Map<number, Attributes>();
  return (status) => {
    const found = known.get(status);
    if (found) return found;
    const labels = Object.freeze(responseLabels(method, path, status));
    known.set(status, labels);
    return labels;
  };
}

export function responseLabels(method: string, path: string, status: number): Attributes {
  return { 'http.request.method': method, 'http.route': path, 'http.response.status_code': status };
}

export function isProtected(operation: Operation): operation is ProtectedOperation {
  return operation.scope !== 'public';
}

/** Every scope that a caller needs. */
export function scopesOf({ scope, alsoNeeds = [] }: ProtectedOperation): readonly Scope[] {
  return scope === 'authenticated' ? alsoNeeds : [scope, ...alsoNeeds];
}

/** The prefix of every area. */
export function basePathsOf(basePath: BasePath): Readonly<Record<Area, string>> {
  const given =
    typeof basePath === 'string' ? { functions: basePath, gateway: basePath, system: basePath } : { ...basePath };
  const paths = { functions: '', gateway: '', system: '', ...given };
  for (const path of Object.values(paths)) {
    if (/^(?:\/[\w.~-]+)*$/.test(path)) continue;
    throw new TypeError(`basePath must be empty or a path such as /api/v1, without a trailing slash, not ${path}`);
  }
  return paths;
}

/** The result of matching a path. */
export interface RouteMatch {
  /** Absent: the path has other methods only, or there is no such path. */
  readonly route: Route | undefined;
  readonly params: Readonly<Record<string, string>>;
  /** Methods that the path has; empty if there is no such path. */
  readonly allowed: readonly string[];
  /** Whether every method of the path works without credentials. */
  readonly public: boolean;
}

interface Branch {
  readonly literal: Map<string, Branch>;
  segment: Branch | undefined;
  rest: Branch | undefined;
  readonly routes: Map<Method, { readonly route: Route; readonly names: readonly string[] }>;
}

const nothing: RouteMatch = { route: undefined, params: {}, allowed: [], public: false };

/** Finds routes by method and path. Literal segments take precedence over parameters, and those over wildcards. */
export class Matcher {
  readonly #root = createBranch();

  constructor(routes: readonly Route[]) {
    for (const route of routes) this.#add(route);
  }

  match(method: string, path: string): RouteMatch {
    const found = path.startsWith('/') ? walk(this.#root, path.split('/'), 1, []) : [];
    const [first] = found;
    if (!first) return nothing;
    const wanted = (method === 'HEAD' ? 'GET' : method) as Method;
    // A path may have one method as a literal and another as the value of a parameter: `test` in POST /functions/test is
    // an id in GET /functions/:id.
    const { branch, values } = found.find((place) => place.branch.routes.has(wanted)) ?? first;
    const entry = branch.routes.get(wanted);
    if (!entry) {
      const all = found.map((place) => place.branch);
      const isPublic = all.every(({ routes }) => [...routes.values()].every(isPublicEntry));
      const allowed = [...new Set(all.flatMap(allowedMethods))];
      return { route: undefined, params: {}, allowed, public: isPublic };
    }
    const params: Record<string, string> = {};
    for (const [index, name] of entry.names.entries()) params[name] = decode(values[index] ?? '');
    return { route: entry.route, params, allowed: [], public: entry.route.operation.scope === 'public' };
  }

  #add(route: Route): void {
    const names: string[] = [];
    let branch = this.#root;
    for (const part of route.path.split('/').slice(1)) {
      if (/^[:*]/.test(part)) names.push(part.slice(1));
      branch = child(branch, part);
    }
    const { method } = route.operation;
    if (branch.routes.has(method)) throw new Error(`two operations share ${method} ${route.path}`);
    branch.routes.set(method, { route, names });
  }
}

function createBranch(): Branch {
  return { literal: new Map(), segment: undefined, rest: undefined, routes: new Map() };
}

function child(branch: Branch, part: string): Branch {
  if (part.startsWith(':')) {
    branch.segment ??= createBranch();
    return branch.segment;
  }
  if (part.startsWith('*')) {
    branch.rest ??= createBranch();
    return branch.rest;
  }
  const known = branch.literal.get(part) ?? createBranch();
  branch.literal.set(part, known);
  return known;
}

interface Place {
  readonly branch: Branch;
  readonly values: readonly string[];
}

const isPublicEntry = ({ route }: { readonly route: Route }): boolean => route.operation.scope === 'public';

/** Every route that a path matches, the most literal one first. */
function walk(branch: Branch, parts: readonly string[], index: number, values: readonly string[]): readonly Place[] {
  const part = parts[index];
  if (part === undefined) return branch.routes.size > 0 ? [{ branch, values }] : [];
  const named = branch.literal.get(part);
  const found = named ? walk(named, parts, index + 1, values) : [];
  if (part === '' || (!branch.segment && !branch.rest)) return found;
  const single = branch.segment ? walk(branch.segment, parts, index + 1, [...values, part]) : [];
  if (!branch.rest) return single.length === 0 ? found : [...found, ...single];
  return [...found, ...single, { branch: branch.rest, values: [...values, parts.slice(index).join('/')] }];
}

function allowedMethods(branch: Branch): string[] {
  return [...branch.routes.keys()].flatMap((method) => (method === 'GET' ? ['GET', 'HEAD'] : [method]));
}

// Invalid percent-encoding stays as it is: like every unknown id, it is not found.
function decode(text: string): string {
  if (!text.includes('%')) return text;
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

/** A parameter of a path. */
export interface PathParameter {
  readonly description: string;
  /** Default: 1 to 255 characters, none of them a control character. */
  readonly pattern?: RegExp;
  /** The error for values that cannot name anything: the same as for what does not exist. */
  readonly notFound: ErrorCode;
}

/** The parameters of a path, by name. */
export type PathParameters = Readonly<Record<string, PathParameter>>;

const nameable = /^[^\p{Cc}\p{Cs}]{1,255}$/u;

/** Refuse values that no store should be queried for. */
export function checkPathParameters(params: Readonly<Record<string, string>>, declared: PathParameters): void {
  for (const name in declared) {
    const parameter = declared[name];
    if (parameter && !(parameter.pattern ?? nameable).test(params[name] ?? '')) {
      throw new PatchbayError(parameter.notFound, `nothing has this ${name}`);
    }
  }
}

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
function createQueryReader(declared: QueryParameters): QueryReader {
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
    const name = decodePlus(equals < 0 ? part : part.slice(0, equals)) ?? part;
    yield [name, equals < 0 ? '' : decodePlus(part.slice(equals + 1))];
  }
}

function decodePlus(text: string): string | undefined {
  try {
    return decodeURIComponent(text.replaceAll('+', ' '));
  } catch {
    return undefined;
  }
}
