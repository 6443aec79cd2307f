import { fieldsOf, type JsonFields, listOf } from '@patchbay/core/provider';

/** Texts that a stream sends in pieces. Every other text is complete. */
const growing: ReadonlySet<string> = new Set(['text', 'summary', 'data', 'transcript', 'content', 'thinking']);

/** Adds a piece of a streamed object to what came before it. */
export function mergeMembers(into: Record<string, unknown>, piece: JsonFields): void {
  for (const name in piece) {
    const value = piece[name];
    if (value === null || name === '__proto__') continue;
    const before = into[name];
    const [list, object] = [listOf(value), fieldsOf(value)];
    if (list && Array.isArray(before)) mergeList(before, list);
    else if (object && fieldsOf(before)) mergeMembers(before as Record<string, unknown>, object);
    else if (typeof value === 'string' && typeof before === 'string' && growing.has(name)) into[name] = before + value;
    else into[name] = value;
  }
}

/** Elements with an `index` are pieces of the element of that index and type; all others follow each other. */
export function mergeList(into: unknown[], pieces: readonly unknown[]): void {
  for (const piece of pieces) {
    const fields = fieldsOf(piece);
    const index = fields?.['index'];
    const known = typeof index === 'number' && into.find((each) => isPlace(fieldsOf(each), index, fields?.['type']));
    if (known && fields) mergeMembers(known as Record<string, unknown>, fields);
    else into.push(piece);
  }
}

function isPlace(element: JsonFields | undefined, index: number, type: unknown): boolean {
  return element?.['index'] === index && element['type'] === type;
}
