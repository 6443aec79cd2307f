import type { ErrorDetail } from '../errors.ts';
import type { Schema } from '../json-schema.ts';
import { linearPatterns } from './linear-patterns.ts';
import { annotations, isLeftToFormat } from './schema-keywords.ts';
import { schemaLimits } from './schema-limits.ts';
import { isObject, schemaHolders, schemasWithin } from './schemas-within.ts';

type SchemaNode = Readonly<Record<string, unknown>>;

export interface ResolvedSchema {
  /**
   * The same schema in one spelling: every reference is replaced by what it refers to, except where the schema refers
   * to itself; there it refers to `#/$defs/<name>` of the root. Notes for readers are left out, except title and
   * description.
   */
  readonly schema: Schema;
  /** References that lead nowhere, or whose resolution is too large; then the schema is unusable. */
  readonly faults: readonly ErrorDetail[];
}

/**
 * Resolve the references of a schema whose keywords are sound.
 *
 * @param pointer Where the schema is in the body, such as `/input`.
 */
export function resolveSchema(root: SchemaNode, pointer: string): ResolvedSchema {
  return new Resolution(root, pointer).resolve();
}

/** An accepted schema, in one spelling. */
export function resolvedSchema(schema: Schema): Schema {
  return resolveSchema(schema as Readonly<Record<string, unknown>>, '').schema;
}

/** Notes for readers, and keywords that have another spelling in a resolved schema. */
const dropped: ReadonlySet<string> = new Set([
  '$ref',
  '$defs',
  'definitions',
  '$id',
  '$anchor',
  '$schema',
  'additionalItems',
  ...annotations,
]);

const notes: ReadonlySet<string> = new Set(['title', 'description', 'default']);

/** Keywords whose schemas are applied to the value itself, and not to something within it. */
const appliedInPlace: ReadonlySet<string> = new Set('anyOf oneOf allOf not if then else dependentSchemas'.split(' '));

const isDefinition = (keyword: string): boolean => keyword === '$defs' || keyword === 'definitions';

class Resolution {
  readonly #root: SchemaNode;
  readonly #pointer: string;
  readonly #faults: ErrorDetail[] = [];
  readonly #byName = new Map<string, SchemaNode>();
  /** The schemas that each one holds or refers to: for the same value, and for any. */
  readonly #edges = {
    inPlace: new Map<SchemaNode, readonly SchemaNode[]>(),
    all: new Map<SchemaNode, readonly SchemaNode[]>(),
  };
  readonly #recursive = new Map<SchemaNode, boolean>();
  /** The schemas that refer to themselves, by the name that each gets. */
  readonly #names = new Map<SchemaNode, string>();
  readonly #definitions: Record<string, Schema> = {};
  #isRecursiveInAlternative = false;
  #nodes = 0;

  constructor(root: SchemaNode, pointer: string) {
    this.#root = root;
    this.#pointer = pointer;
  }

  resolve(): ResolvedSchema {
    // Most schemas have no references, and a call by name resolves its schema every time.
    if (this.#nameSchemas()) this.#checkReferences();
    if (this.#faults.length > 0) return { schema: {}, faults: this.#faults };
    let schema = this.#expandRoot();
    const names = Object.keys(this.#definitions);
    if (names.length > 0) schema = { ...schema, $defs: this.#definitions };
    // A compiled reference does not know that it is in an alternative, whose defaults must not be filled in.
    if (this.#isRecursiveInAlternative) for (const name of names) removeDefaults(this.#definitions[name]);
    if (this.#nodes > schemaLimits.resolvedNodes) {
      const detail = `has more than ${schemaLimits.resolvedNodes} schemas in it once its references are resolved`;
      this.#faults.push({ pointer: this.#pointer, code: 'too_many_nodes', detail });
    } else if (!isObjectSchema(schema, schema)) {
      const detail = 'the root of the schema must be of type object';
      this.#faults.push({ pointer: `${this.#pointer}/type`, code: 'root_type', detail });
    }
    return { schema, faults: this.#faults };
  }

  /** @returns whether any of them has a reference. */
  #nameSchemas(): boolean {
    let hasReference = false;
    for (const { node } of this.#all()) {
      const { $id, $anchor, $ref } = node;
      if (typeof $id === 'string') this.#byName.set($id, node);
      if (typeof $anchor === 'string') this.#byName.set($anchor, node);
      hasReference ||= $ref !== undefined;
    }
    return hasReference;
  }

  *#all(): Generator<{ readonly node: SchemaNode; readonly at: string }> {
    const waiting = [{ node: this.#root, at: this.#pointer }];
    for (let next = waiting.pop(); next; next = waiting.pop()) {
      yield next;
      for (const [at, node] of schemasWithin(next.node, next.at)) waiting.push({ node, at });
    }
  }

  #checkReferences(): void {
    const references: { readonly target: SchemaNode; readonly pointer: string }[] = [];
    for (const { node, at } of this.#all()) {
      const inside = [...schemasWithin(node, '')];
      const target = typeof node['$ref'] === 'string' ? this.#targetOf(node['$ref']) : undefined;
      const edgesBy = (isFollowed: (keyword: string) => boolean): readonly SchemaNode[] => [
        ...(target ? [target] : []),
        ...inside.flatMap(([, child, keyword]) => (isFollowed(keyword) ? [child] : [])),
      ];
      this.#edges.inPlace.set(
        node,
        edgesBy((keyword) => appliedInPlace.has(keyword)),
      );
      this.#edges.all.set(
        node,
        edgesBy((keyword) => !isDefinition(keyword)),
      );
      const pointer = `${at}/$ref`;
      if (target) references.push({ target, pointer });
      else if (node['$ref'] !== undefined) {
        const detail = 'does not refer to a schema within this schema';
        this.#faults.push({ pointer, code: 'reference_unknown', detail });
      }
    }
    const endless = new Map<SchemaNode, boolean>();
    for (const { target, pointer } of references) {
      const isEndless = endless.get(target) ?? isWithinItself(target, this.#edges.inPlace);
      endless.set(target, isEndless);
      if (!isEndless) continue;
      const detail = 'refers to itself without a property or an item in between';
      this.#faults.push({ pointer, code: 'reference_endless', detail });
    }
  }

  #targetOf(reference: string): SchemaNode | undefined {
    const hash = reference.indexOf('#');
    const [base, fragment] = hash < 0 ? [reference, ''] : [reference.slice(0, hash), reference.slice(hash + 1)];
    const start = base === '' ? this.#root : this.#byName.get(base);
    if (fragment === '' || start === undefined) return start;
    if (!fragment.startsWith('/')) return this.#byName.get(fragment);
    let found: unknown = start;
    for (const part of fragment.slice(1).split('/')) {
      const name = decoded(part).replaceAll('~1', '/').replaceAll('~0', '~');
      if (typeof found !== 'object' || found === null || !Object.hasOwn(found, name)) return undefined;
      found = (found as Readonly<Record<string, unknown>>)[name];
    }
    return isObject(found) ? found : undefined;
  }

  #isRecursive(target: SchemaNode): boolean {
    const known = this.#recursive.get(target) ?? isWithinItself(target, this.#edges.all);
    this.#recursive.set(target, known);
    return known;
  }

  /** The root is shown as the object that it is, even if it only refers to it. */
  #expandRoot(): Schema {
    let node = this.#root;
    let said: SchemaNode = {};
    for (;;) {
      const { $ref: reference, ...rest } = node;
      const others = Object.keys(rest).filter((keyword) => !dropped.has(keyword) && !notes.has(keyword));
      const target = typeof reference === 'string' && others.length === 0 ? this.#targetOf(reference) : undefined;
      if (!target) return this.#expand({ ...node, ...said }, false);
      said = { ...pick(rest, notes), ...said };
      node = target;
    }
  }

  #expand(value: unknown, isAlternative: boolean): Schema {
    if (value === false) return { not: {} };
    const node = isObject(value) ? value : {};
    const reference = node['$ref'];
    if (typeof reference !== 'string') return this.#expandMembers(node, isAlternative);
    const target = this.#targetOf(reference) ?? {};
    const base = this.#isRecursive(target) ? this.#refer(target, isAlternative) : this.#expand(target, isAlternative);
    const own = this.#expandMembers(node, isAlternative);
    const keywords = Object.keys(own);
    if (keywords.every((keyword) => notes.has(keyword))) return { ...base, ...own };
    return { ...own, allOf: [base, ...(own.allOf ?? [])] };
  }

  #refer(target: SchemaNode, isAlternative: boolean): Schema {
    if (isAlternative) this.#isRecursiveInAlternative = true;
    let name = this.#names.get(target);
    if (name === undefined) {
      name = this.#freeName(target);
      this.#names.set(target, name);
      this.#definitions[name] = {};
      this.#definitions[name] = this.#expand(target, false);
    }
    return { $ref: `#/$defs/${name}` };
  }

  #freeName(target: SchemaNode): string {
    const own = typeof target['$id'] === 'string' ? target['$id'] : this.#definedName(target);
    const name = own.replaceAll(/\W/g, '').replace(/^(?=\d|$)/, 'Type');
    let free = name;
    for (let count = 2; Object.hasOwn(this.#definitions, free); count += 1) free = `${name}${count}`;
    return free;
  }

  #definedName(target: SchemaNode): string {
    for (const keyword of ['$defs', 'definitions']) {
      const definitions = this.#root[keyword];
      const found = isObject(definitions) ? Object.entries(definitions).find(([, each]) => each === target) : undefined;
      if (found) return found[0];
    }
    return typeof target['title'] === 'string' ? target['title'] : 'Type';
  }

  #expandMembers(node: SchemaNode, isAlternative: boolean): Schema {
    this.#nodes += 1;
    const expanded: Record<string, unknown> = {};
    // The whole schema is rejected then; it need not be finished.
    if (this.#nodes > schemaLimits.resolvedNodes) return expanded;
    for (const [keyword, value] of Object.entries(node)) {
      if (dropped.has(keyword) || value === undefined) continue;
      const inAlternative = isAlternative || appliedInPlace.has(keyword) || keyword === 'contains';
      if (keyword === 'pattern') {
        if (!isLeftToFormat(node)) addPatterns(expanded, value as string);
      } else if (keyword === 'items' && Array.isArray(value)) {
        expanded['prefixItems'] = value.map((each) => this.#expand(each, isAlternative));
        if (node['additionalItems'] !== undefined) {
          expanded['items'] = this.#expandOrBoolean(node['additionalItems'], isAlternative);
        }
      } else if (isOneOf(schemaHolders.one, keyword)) {
        expanded[keyword] = this.#expandOrBoolean(value, inAlternative);
      } else if (isOneOf(schemaHolders.list, keyword)) {
        const before = keyword === 'allOf' ? ((expanded['allOf'] as unknown[]) ?? []) : [];
        expanded[keyword] = [...before, ...(value as unknown[]).map((each) => this.#expand(each, inAlternative))];
      } else if (isOneOf(schemaHolders.named, keyword)) {
        expanded[keyword] = Object.fromEntries(
          Object.entries(value as object).map(([name, each]) => [name, this.#expand(each, inAlternative)]),
        );
      } else {
        expanded[keyword] = value;
      }
    }
    return expanded as Schema;
  }

  #expandOrBoolean(value: unknown, isAlternative: boolean): Schema | boolean {
    return typeof value === 'boolean' ? value : this.#expand(value, isAlternative);
  }
}

/** Whether a schema can be reached from itself. */
function isWithinItself(schema: SchemaNode, edges: ReadonlyMap<SchemaNode, readonly SchemaNode[]>): boolean {
  const seen = new Set<SchemaNode>();
  const waiting = [schema];
  for (let node = waiting.pop(); node; node = waiting.pop()) {
    for (const next of edges.get(node) ?? []) {
      if (next === schema) return true;
      if (seen.has(next)) continue;
      seen.add(next);
      waiting.push(next);
    }
  }
  return false;
}

/** Syntax that RE2 does not have, in whole or in part. */
const lookAroundOrReference = /\(\?[=!<]|\\[1-9]/;

/** Express a pattern by patterns that match in linear time. */
function addPatterns(expanded: Record<string, unknown>, pattern: string): void {
  const linear = lookAroundOrReference.test(pattern) ? linearPatterns(pattern) : { must: [pattern], mustNot: [] };
  if (typeof linear === 'string') return;
  const [first, ...further] = linear.must;
  expanded['pattern'] = first;
  const conditions = [
    ...further.map((each) => ({ pattern: each })),
    ...linear.mustNot.map((each) => ({ not: { type: 'string', pattern: each } })),
  ];
  if (conditions.length > 0) expanded['allOf'] = [...((expanded['allOf'] as unknown[]) ?? []), ...conditions];
}

const isOneOf = (names: readonly string[], name: string): boolean => names.includes(name);

const pick = (node: SchemaNode, names: ReadonlySet<string>): SchemaNode =>
  Object.fromEntries(Object.entries(node).filter(([name]) => names.has(name)));

/** Invalid percent-encoding names nothing. */
function decoded(part: string): string {
  try {
    return decodeURIComponent(part);
  } catch {
    return part;
  }
}

/** Whether every value that fits a resolved schema is an object. */
function isObjectSchema(schema: Schema, root: Schema): boolean {
  const { type, allOf = [], anyOf, oneOf, $ref } = schema;
  if (type !== undefined)
    return type === 'object' || (Array.isArray(type) && type.length === 1 && type[0] === 'object');
  const target = definitionOf($ref, root);
  if (target && target !== schema && isObjectSchema(target, root)) return true;
  if (allOf.some((each) => isObjectSchema(each, root))) return true;
  const alternatives = anyOf ?? oneOf ?? [];
  return alternatives.length > 0 && alternatives.every((each) => isObjectSchema(each, root));
}

/** The schema that a reference of a resolved schema refers to. */
export function definitionOf(reference: string | undefined, { $defs = {} }: Schema): Schema | undefined {
  return reference === undefined ? undefined : $defs[reference.slice('#/$defs/'.length)];
}

function removeDefaults(schema: Schema | undefined): void {
  if (schema === undefined) return;
  const waiting: SchemaNode[] = [schema as unknown as SchemaNode];
  for (let node = waiting.pop(); node; node = waiting.pop()) {
    delete (node as { default?: unknown })['default'];
    for (const [, child] of schemasWithin(node, '')) waiting.push(child);
  }
}
