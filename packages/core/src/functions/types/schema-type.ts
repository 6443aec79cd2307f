import type { JsonValue } from '@patchbay/contracts/json';
import type { Schema, SchemaType } from '@patchbay/contracts/json-schema';

/** `input`: what a caller may send, where members with a default may be left out. `output`: what a caller receives. */
export type Role = 'input' | 'output';

const identifier = /^[A-Za-z_$][\w$]*$/;

interface Writing {
  readonly role: Role;
  /** Names of types, by definition. */
  readonly names: ReadonlyMap<string, string>;
}

/**
 * The TypeScript type of the values that match a resolved schema, as far as types can express it: bounds, patterns and
 * formats are left out. An object has the members that its schema names, and no others unless the schema says so.
 */
export function typeText(schema: Schema, writing: Writing, indent = ''): string {
  const { $ref, const: fixed, enum: listed, not, anyOf, oneOf, allOf = [] } = schema;
  const { role, names } = writing;
  if (fixed !== undefined) return literalText(fixed, role);
  if (listed !== undefined) return union(listed.map((value) => literalText(value, role)));
  if (not && Object.keys(not).length === 0) return 'never';
  const own = ownTypes(schema).map((type) => oneType(type, schema, writing, indent));
  const parts = own.length === 0 ? [] : [union(own)];
  for (const alternatives of [anyOf, oneOf]) {
    if (alternatives) parts.push(union(alternatives.map((each) => typeText(each, writing, indent))));
  }
  for (const each of allOf) parts.push(typeText(each, writing, indent));
  const name = $ref === undefined ? undefined : names.get($ref.slice('#/$defs/'.length));
  if (name !== undefined) parts.push(name);
  if (parts.length === 0) return 'unknown';
  return parts.length === 1 ? (parts[0] ?? '') : parts.map((part) => `(${part})`).join(' & ');
}

/** A text within a comment, on one line: whatever it contains, it does not end the comment. */
export function commentText(text: string): string {
  const line = text.replaceAll(/[\p{Cc}\u2028\u2029\s]+/gu, ' ').trim();
  return line.replaceAll('*/', '*\u200b/');
}

/** A name as the key of a member. */
export function keyText(name: string): string {
  return identifier.test(name) ? name : stringText(name);
}

function ownTypes({ type, properties, items, prefixItems }: Schema): readonly SchemaType[] {
  if (type !== undefined) return typeof type === 'string' ? [type] : type;
  return [...(properties ? (['object'] as const) : []), ...(items || prefixItems ? (['array'] as const) : [])];
}

function oneType(type: SchemaType, schema: Schema, writing: Writing, indent: string): string {
  if (type === 'integer') return 'number';
  if (type === 'object') return objectText(schema, writing, indent);
  return type === 'array' ? arrayText(schema, writing, indent) : type;
}

function arrayText({ items, prefixItems = [], minItems = 0 }: Schema, writing: Writing, indent: string): string {
  const access = writing.role === 'input' ? 'readonly ' : '';
  const rest = typeof items === 'object' ? typeText(items, writing, indent) : 'unknown';
  if (prefixItems.length === 0) return `${access}(${rest})[]`;
  const members = prefixItems.map(
    (item, index) => `(${typeText(item, writing, indent)})${index < minItems ? '' : '?'}`,
  );
  return `${access}[${[...members, ...(items === false ? [] : [`...(${rest})[]`])].join(', ')}]`;
}

function objectText(schema: Schema, writing: Writing, indent: string): string {
  const { properties = {}, required = [], additionalProperties, patternProperties = {} } = schema;
  const { role } = writing;
  const within = `${indent}  `;
  const members = Object.entries(properties).flatMap(([name, member]) => {
    const given = required.includes(name) && (role === 'output' || member.default === undefined);
    const about = member.description === undefined ? '' : commentText(member.description);
    const comment = about === '' ? [] : [`${within}/** ${about} */`];
    return [...comment, `${within}${keyText(name)}${given ? '' : '?'}: ${typeText(member, writing, within)};`];
  });
  const none = members.length === 0;
  const [others = additionalProperties, ...more] = Object.values(patternProperties);
  if (others !== undefined && others !== false) {
    // Besides named members, whose types differ, nothing more can be stated about the others.
    const isOnly = none && more.length === 0;
    const type = isOnly && typeof others === 'object' ? typeText(others, writing, within) : 'unknown';
    members.push(`${within}[name: string]: ${type};`);
  } else if (none) {
    if (others === false) return 'Record<string, never>';
    // Anything goes, but the interfaces that callers have are not assignable to an index signature.
    return role === 'input' ? 'object' : 'Record<string, unknown>';
  }
  return `{\n${members.join('\n')}\n${indent}}`;
}

function literalText(value: JsonValue, role: Role): string {
  if (typeof value === 'string') return stringText(value);
  if (value === null || typeof value !== 'object') return String(value);
  if (Array.isArray(value)) return `readonly [${value.map((each) => literalText(each, role)).join(', ')}]`;
  const members = Object.entries(value).map(
    ([name, each]) => `${keyText(name)}: ${literalText(each as JsonValue, role)}`,
  );
  return `{ ${members.join('; ')} }`;
}

/** JSON allows line separators within strings; not every version of the language does. */
function stringText(text: string): string {
  return JSON.stringify(text).replaceAll('\u2028', '\\u2028').replaceAll('\u2029', '\\u2029');
}

function union(types: readonly string[]): string {
  const distinct = [...new Set(types)];
  return distinct.length === 0 ? 'never' : distinct.join(' | ');
}
