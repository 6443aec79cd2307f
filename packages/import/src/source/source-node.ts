/** A value of a configuration file, and where it is. */
export interface SourceNode {
  /** `file:line:column`. */
  readonly place: string;
  readonly content: Scalar | readonly SourceNode[] | ReadonlyMap<string, SourceNode>;
}

export type Scalar = string | number | boolean;

/** A file that cannot be read as what it should be. The name makes it a command line error. */
export class SourceError extends Error {
  override readonly name = 'UsageError';
}

/**
 * Several files as one: maps are merged, lists appended.
 *
 * @throws SourceError if two files define the same value.
 */
export function mergeNodes(one: SourceNode, other: SourceNode): SourceNode {
  if (one.content instanceof Map && other.content instanceof Map) {
    const members = new Map<string, SourceNode>(one.content);
    for (const [name, node] of other.content as ReadonlyMap<string, SourceNode>) {
      const before = members.get(name);
      members.set(name, before ? mergeNodes(before, node) : node);
    }
    return { place: one.place, content: members };
  }
  if (Array.isArray(one.content) && Array.isArray(other.content)) {
    return { place: one.place, content: [...(one.content as SourceNode[]), ...(other.content as SourceNode[])] };
  }
  throw new SourceError(`${other.place} defines again what ${one.place} defines`);
}
