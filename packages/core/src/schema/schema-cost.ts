import { jsonLimits } from '../base/check-json.ts';
import type { Schema } from '../contracts/json-schema.ts';

// Measured. The unit, a step, is what a failed alternative costs: some 50 ns.
const costs = { value: 1, alternative: 1, property: 0.1, default: 4, scalar: 0.2, container: 1, inContainer: 0.1 };

/**
 * How many steps checking one value takes at most, by how deep the value is in the document.
 *
 * `anyOf` within `anyOf`, long lists in `enum` and many defaults multiply with the values of a document: 64 KiB of
 * schema and 1 MiB of document could hold the event loop for seconds.
 */
export function stepsByLevel(schema: Schema): readonly number[] {
  const { properties = {}, required = [], items, additionalProperties, anyOf = [] } = schema;
  const members = Object.values(properties);
  const listed = [...(schema.enum ?? []), ...('const' in schema ? [schema.const] : [])];
  const containers = listed.filter((value) => typeof value === 'object' && value !== null).length;
  const own =
    costs.value +
    costs.alternative * anyOf.length +
    costs.property * (members.length + required.length) +
    costs.default * members.filter((member) => 'default' in member).length +
    costs.container * containers +
    costs.scalar * (listed.length - containers);
  const compared = containers === 0 ? [] : Array<number>(jsonLimits.depth).fill(costs.inContainer * containers);
  // A value is under one of the members, or is an item, but is under every alternative.
  const parts = [...members, items, additionalProperties].filter((part) => typeof part === 'object');
  const inside = merge(Math.max, [compared, ...parts.map(stepsByLevel)]);
  return merge((left, right) => left + right, [[own, ...inside], ...anyOf.map(stepsByLevel)]);
}

function merge(join: (left: number, right: number) => number, lists: readonly (readonly number[])[]): number[] {
  const length = Math.max(...lists.map((list) => list.length));
  return Array.from({ length }, (_, level) => lists.reduce((total, list) => join(total, list[level] ?? 0), 0));
}

/** How many steps checking a whole document takes at most. */
export function stepsOf(document: unknown, levels: readonly number[]): number {
  let steps = 0;
  let values = [document];
  for (const each of levels) {
    steps += each * values.length;
    const next: unknown[] = [];
    for (const value of values) {
      if (typeof value !== 'object' || value === null) continue;
      for (const child of Array.isArray(value) ? value : Object.values(value)) next.push(child);
    }
    values = next;
  }
  return steps;
}
