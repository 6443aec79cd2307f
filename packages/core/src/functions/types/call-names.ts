import type { FunctionRow } from '../../contracts/rows.ts';

/**
 * The identifier by which a call reaches each of these functions, or else its name: servers look for names first. All
 * functions of a tenant must be given; one that others share its name with has none.
 */
export function callNames(rows: readonly Pick<FunctionRow, 'id' | 'name' | 'key'>[]): ReadonlyMap<string, string> {
  const byName = countBy(rows.map(({ name }) => name));
  const byKey = countBy(rows.flatMap(({ key }) => (key ? [key] : [])));
  const names = new Map<string, string>();
  for (const { id, name, key } of rows) {
    const isOwnName = key === name && byName.get(name) === 1;
    if (key && (isOwnName || (!byName.has(key) && byKey.get(key) === 1))) names.set(id, key);
    else if (byName.get(name) === 1) names.set(id, name);
  }
  return names;
}

function countBy(names: readonly string[]): ReadonlyMap<string, number> {
  const counts = new Map<string, number>();
  for (const name of names) counts.set(name, (counts.get(name) ?? 0) + 1);
  return counts;
}
