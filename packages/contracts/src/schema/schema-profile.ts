import { memberPointer } from '../base/json-pointer.ts';
import { didYouMean } from '../base/names.ts';
import type { ErrorDetail } from '../errors.ts';
import { patternSize } from './pattern-size.ts';
import { resolveSchema } from './resolve-schema.ts';
import { isLeftToFormat, schemaKeywords } from './schema-keywords.ts';
import { schemaLimits } from './schema-limits.ts';
import { isObject, schemaHolders, schemasWithin } from './schemas-within.ts';

type SchemaNode = Readonly<Record<string, unknown>>;

const keywordNames = [...schemaKeywords.keys()];

/** The share of the bounds of a request that its schemas have used. */
interface Used {
  nodes: number;
  patternSteps: number;
}

/**
 * Check schemas of one request, given as JSON text, each by `checkSchema`, and all of them by the bounds of a request.
 *
 * @returns every fault, or none
 */
export function checkSchemas(
  schemas: readonly { readonly text: string; readonly pointer: string }[],
): readonly ErrorDetail[] {
  const used: Used = { nodes: 0, patternSteps: 0 };
  const faults: ErrorDetail[] = [];
  for (const { text, pointer } of schemas) {
    faults.push(...checkSchema(JSON.parse(text) as SchemaNode, pointer, used));
    const excess = excessOf(used);
    if (excess === undefined) continue;
    faults.push({
      pointer,
      code: 'request_too_complex',
      detail: `has, together with the schemas before it, ${excess}`,
    });
    break;
  }
  return faults;
}

function excessOf({ nodes, patternSteps }: Used): string | undefined {
  const { requestNodes, requestPatternPrograms } = schemaLimits;
  if (nodes > requestNodes) return `more than ${requestNodes} schemas in it`;
  if (patternSteps > requestPatternPrograms) return `more than ${requestPatternPrograms} steps of patterns`;
  return undefined;
}

/**
 * Check that a caller's schema stays within the profile: known keywords with values of the right type, and no more of
 * anything than can be compiled and applied quickly. Runs before any compiler sees the schema.
 *
 * @param pointer Where the schema is in the body, such as `/input`.
 * @returns every fault, or none
 */
export function checkSchema(
  schema: SchemaNode,
  pointer: string,
  used: Used = { nodes: 0, patternSteps: 0 },
): readonly ErrorDetail[] {
  const bytes = Buffer.byteLength(JSON.stringify(schema));
  if (bytes > schemaLimits.bytes) {
    return [{ pointer, code: 'too_large', detail: `has ${bytes} bytes; at most ${schemaLimits.bytes} are accepted` }];
  }
  const faults: ErrorDetail[] = [];
  let nodes = 0;
  let patternSteps = 0;
  const waiting: { node: SchemaNode; at: string; depth: number }[] = [{ node: schema, at: pointer, depth: 1 }];
  for (let next = waiting.pop(); next; next = waiting.pop()) {
    nodes += 1;
    used.nodes += 1;
    if (nodes > schemaLimits.nodes) {
      faults.push({ pointer, code: 'too_many_nodes', detail: `has more than ${schemaLimits.nodes} schemas in it` });
      break;
    }
    if (next.depth > schemaLimits.depth) {
      faults.push({ pointer: next.at, code: 'too_deep', detail: `is more than ${schemaLimits.depth} schemas deep` });
      continue;
    }
    const cost = patternsCost(next.node);
    patternSteps += cost;
    used.patternSteps += cost;
    if (used.patternSteps > schemaLimits.requestPatternPrograms) break;
    if (patternSteps > schemaLimits.patternPrograms) {
      faults.push({ pointer, code: 'patterns_too_complex', detail: 'has too many patterns, or too complex ones' });
      break;
    }
    faults.push(...checkKeywords(next.node, next.at));
    for (const [at, node] of schemasWithin(next.node, next.at)) waiting.push({ node, at, depth: next.depth + 1 });
  }
  // References can only be followed through schemas that are sound.
  return faults.length > 0 ? faults : resolveSchema(schema, pointer).faults;
}

function patternsCost({ pattern, patternProperties }: SchemaNode): number {
  const names = isObject(patternProperties) ? Object.keys(patternProperties) : [];
  return names.reduce((sum, name) => sum + patternCost(name), patternCost(pattern));
}

// Cost of looking up a class of Unicode characters, in steps.
const UNICODE_CLASS_STEPS = 70;

/** Steps that a pattern compiles to, at most. */
export function patternCost(pattern: unknown): number {
  if (typeof pattern !== 'string' || pattern.length > schemaLimits.patternLength) return 0;
  const classes = pattern.match(/\\[pP]/g)?.length ?? 0;
  return Math.min(patternSize(pattern), schemaLimits.patternProgram) + classes * UNICODE_CLASS_STEPS;
}

/** Finding the nearest name of thousands of keywords would hold the event loop. */
const HINTED_KEYWORDS = 20;

function checkKeywords(node: SchemaNode, at: string): ErrorDetail[] {
  const faults: ErrorDetail[] = [];
  for (const [keyword, value] of Object.entries(node)) {
    const pointer = memberPointer(at, keyword);
    const check = schemaKeywords.get(keyword);
    if (!check) {
      const hint = faults.length < HINTED_KEYWORDS ? didYouMean(keyword, keywordNames) : '';
      faults.push({ pointer, code: 'keyword_not_accepted', detail: `is not an accepted keyword${hint}` });
      continue;
    }
    const detail = keyword === 'pattern' && isLeftToFormat(node) ? undefined : check(value);
    if (detail) faults.push({ pointer, code: 'keyword_invalid', detail });
    else if (hasReservedName(keyword, value)) {
      faults.push({ pointer, code: 'reserved_name', detail: 'must not use the name __proto__' });
    } else if (named.has(keyword)) faults.push(...noSchemas(value as object, pointer));
  }
  return faults;
}

const named: ReadonlySet<string> = new Set(schemaHolders.named);

/** Property schemas that are not schemas: the pass over nested schemas does not visit them. */
function noSchemas(properties: object, at: string): ErrorDetail[] {
  return Object.entries(properties).flatMap(([name, property]: [string, unknown]) =>
    isObject(property) || typeof property === 'boolean'
      ? []
      : [{ pointer: memberPointer(at, name), code: 'keyword_invalid', detail: 'must be a schema' }],
  );
}

// Compilers write these values into source text, where `{"__proto__": …}` means something else than it does in JSON.
function hasReservedName(keyword: string, value: unknown): boolean {
  if (named.has(keyword) || keyword === 'dependentRequired') return Object.hasOwn(value as object, '__proto__');
  if (keyword === 'required') return (value as string[]).includes('__proto__');
  return (
    (keyword === 'default' || keyword === 'const' || keyword === 'enum') && /"__proto__"/.test(JSON.stringify(value))
  );
}
