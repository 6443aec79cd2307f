import type { JsonValue, Schema, SchemaType } from '@patchbay/core/plugin';
import { textProperty } from './text-property.ts';

/** Global types that the author may use too: what the function takes and returns, and what a generator yields. */
export function schemaDeclarations(input: Schema, output: Schema): string {
  const lines = [
    ...declarations('Input', input, { closeness: 'exact', present: 'required or default' }),
    ...declarations('Output', output, { closeness: 'exact', present: 'required' }),
    ...yieldDeclarations('Yield', output, 'exact'),
  ];
  return `${lines.join('\n')}\n`;
}

/** The type of what a generator may yield: a part of its output, or text for its only text property. */
function yieldDeclarations(name: string, output: Schema, closeness: Closeness): readonly string[] {
  const parts = declarations(`${name}Part`, output, { closeness, present: 'none' });
  return [...parts, `type ${name} = ${name}Part${textProperty(output) === undefined ? '' : ' | string'};`];
}

/** The type of a schema under a name, after those of the definitions by which it refers to itself. */
function declarations(name: string, schema: Schema, options: TypeOptions): readonly string[] {
  const named = { ...options, prefix: name };
  const definitions = Object.entries(schema.$defs ?? {});
  return [
    ...definitions.map(([definition, each]) => `type ${name}${definition} = ${schemaType(each, named)};`),
    `type ${name} = ${schemaType(schema, named)};`,
  ];
}

/** The subject of one line of the contract module. */
export type ContractClause = 'parameter' | 'result' | 'extra';

export interface ContractModule {
  readonly text: string;
  /** Clauses by line, counted from 0. */
  readonly clauses: ReadonlyMap<number, ContractClause>;
}

/**
 * A module that uses the function as Patchbay does, so that the compiler says where that does not fit. It is lenient
 * where authors are: a parameter may be declared as `{ a: number }` where `a` is optional, and, as methods are compared
 * in both directions, as one of several values that the schema allows.
 */
export function contractModule(input: Schema, output: Schema): ContractModule {
  const lines = [
    "import entry from './function.ts';",
    ...declarations('LooseOutput', output, { closeness: 'loose', present: 'required' }),
    ...declarations('FullInput', input, { closeness: 'exact', present: 'all' }),
    'interface Takes { call(input: FullInput, context: Context): unknown }',
    ...yieldDeclarations('LooseYield', output, 'loose'),
    'interface GivesOutput { call(...values: any[]): LooseOutput | Promise<LooseOutput> }',
    'type Ending = LooseOutput | undefined | void;',
    'type LooseSteps =',
    '  | AsyncIterable<LooseYield, Ending, any>',
    '  | Iterator<LooseYield | Promise<LooseYield>, Ending | Promise<Ending>, any>;',
    'interface GivesSteps { call(...values: any[]): LooseSteps | Promise<LooseSteps> }',
    'type Steps = AsyncIterable<any, any, any> | (Iterator<any, any, any> & Iterable<any, any, any>);',
    'type Returned = Awaited<ReturnType<typeof entry>>;',
    'type Gives = [Returned] extends [Steps] ? GivesSteps : GivesOutput;',
  ];
  const clauses = new Map<number, ContractClause>();
  const addClause = (clause: ContractClause, line: string): void => {
    clauses.set(lines.length, clause);
    lines.push(line);
  };
  addClause('parameter', 'export const takes: Takes = { call: entry };');
  addClause('result', 'export const gives: Gives = { call: entry };');
  if (output.additionalProperties === false) {
    const names = Object.keys(output.properties ?? {}).map((name) => JSON.stringify(name));
    lines.push(
      'type Yielded<T> = T extends AsyncIterable<infer Y, infer R, any> ? Y | R : T extends Iterator<infer Y, infer R, any> ? Awaited<Y | R> : T;',
      'type KeysOf<T> = T extends object ? keyof T : never;',
      'type Keys = [Returned] extends [Steps] ? KeysOf<Yielded<Returned>> : keyof Returned;',
      `type Extra = string extends Keys ? never : Exclude<Keys, ${names.join(' | ') || 'never'}>;`,
    );
    addClause('extra', 'export const extra: [Extra] extends [never] ? true : Extra = true;');
  }
  return { text: lines.join('\n'), clauses };
}

/**
 * How closely a type follows its schema. `exact`: enums are their values, for an author who writes `Input` or `Output`.
 * `loose`: what is inferred for a function without declared types, such as `string` for a text, must fit.
 */
export type Closeness = 'exact' | 'loose';

export interface TypeOptions {
  readonly closeness: Closeness;
  /** Which properties are always present. */
  readonly present: 'none' | 'required' | 'required or default' | 'all';
  /** Prefix of the names of definitions. Default: a reference can be anything. */
  readonly prefix?: string;
}

/** A schema as the text of a TypeScript type. */
export function schemaType(schema: Schema, options: TypeOptions): string {
  const parts: string[] = [];
  const { prefix } = options;
  if (schema.$ref !== undefined && prefix !== undefined) parts.push(prefix + schema.$ref.slice('#/$defs/'.length));
  if (isNever(schema)) return 'never';
  if (schema.const !== undefined) parts.push(valueType(schema.const, options));
  else if (schema.enum !== undefined) parts.push(union(schema.enum.map((value) => valueType(value, options))));
  else if (schema.type !== undefined || schema.properties !== undefined) parts.push(typesOf(schema, options));
  for (const alternatives of [schema.anyOf, schema.oneOf]) {
    if (alternatives) parts.push(union(alternatives.map((member) => schemaType(member, options))));
  }
  for (const member of schema.allOf ?? []) parts.push(schemaType(member, options));
  if (parts.length === 0) return unknownType(options);
  return parts.length === 1 ? (parts[0] ?? '') : parts.map((part) => `(${part})`).join(' & ');
}

/** How a schema says that there is no such value: an optional member without type, in what generators write. */
const isNever = ({ not }: Schema): boolean => not !== undefined && Object.keys(not).length === 0;

const unknownType = ({ closeness }: TypeOptions): string => (closeness === 'loose' ? 'unknown' : 'any');

function union(types: readonly string[]): string {
  return types.length === 0 ? 'never' : [...new Set(types)].map((type) => `(${type})`).join(' | ');
}

function typesOf(schema: Schema, options: TypeOptions): string {
  const { type = 'object' } = schema;
  const types: readonly SchemaType[] = typeof type === 'string' ? [type] : type;
  return union(types.map((name) => typeOf(name, schema, options)));
}

function typeOf(name: SchemaType, schema: Schema, options: TypeOptions): string {
  switch (name) {
    case 'integer':
      return 'number';
    case 'array':
      return arrayType(schema, options);
    case 'object':
      return objectType(schema, options);
    default:
      return name;
  }
}

function arrayType({ items, prefixItems = [], minItems = 0 }: Schema, options: TypeOptions): string {
  const rest = typeof items === 'object' ? schemaType(items, options) : unknownType(options);
  // TypeScript infers a list, not a tuple, for code that returns one.
  if (prefixItems.length === 0 || options.closeness === 'loose')
    return `(${prefixItems.length > 0 ? 'unknown' : rest})[]`;
  const members = prefixItems.map((item, index) => `(${schemaType(item, options)})${index < minItems ? '' : '?'}`);
  return `[${[...members, ...(items === false ? [] : [`...(${rest})[]`])].join(', ')}]`;
}

function objectType(schema: Schema, options: TypeOptions): string {
  const { properties = {}, required = [], additionalProperties, patternProperties = {} } = schema;
  const names = [...new Set([...Object.keys(properties), ...required])];
  if (names.length === 0) {
    // An interface has no index signature, so a record of anything other than `any` would refuse it.
    if (options.closeness === 'loose') return 'object';
    const [others = additionalProperties] = Object.values(patternProperties);
    if (typeof others !== 'object') return 'Record<string, any>';
    return `{ [name: string]: ${schemaType(others, options)} }`;
  }
  const members = names.map((name) => {
    const schema = Object.hasOwn(properties, name) ? properties[name] : undefined;
    const present =
      options.present === 'all' ||
      isFilledIn(schema, options) ||
      (options.present !== 'none' && required.includes(name));
    const type = schema === undefined ? unknownType(options) : schemaType(schema, options);
    return `${JSON.stringify(name)}${present ? '' : '?'}: ${type}`;
  });
  return `{ ${members.join('; ')} }`;
}

function isFilledIn(schema: Schema | undefined, { present }: TypeOptions): boolean {
  return present === 'required or default' && schema?.default !== undefined;
}

function valueType(value: JsonValue, { closeness }: TypeOptions): string {
  if (value === null) return 'null';
  if (typeof value === 'object') return 'any';
  return closeness === 'loose' ? typeof value : JSON.stringify(value);
}
