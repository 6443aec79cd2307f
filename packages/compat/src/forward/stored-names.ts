/** Members, in the APIs of OpenAI and Anthropic, whose values are ids of what a vendor stores. */
export const storedNames: ReadonlySet<string> = new Set([
  'container',
  'container_id',
  'file_id',
  'file_ids',
  'skill_id',
  'tunnel_id',
  'vector_store_ids',
]);

/** The ids in a part of a response, at any depth. */
export function storedIdsIn(value: unknown, name = ''): readonly string[] {
  if (typeof value === 'string') return storedNames.has(name) ? [value] : [];
  if (typeof value !== 'object' || value === null) return [];
  return Object.entries(value).flatMap(([each, member]) => storedIdsIn(member, Array.isArray(value) ? name : each));
}
