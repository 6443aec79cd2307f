import type { Scalar, SourceNode } from './source-node.ts';

/**
 * A value of a configuration that knows whether it was read. What is left over at the end was not understood, and is
 * reported: nothing is dropped silently.
 */
export interface Source {
  /** Such as `model_list[0].litellm_params.model`. */
  readonly path: string;
  /** `file:line:column`. */
  readonly place: string;
  /** Of a scalar; undefined for lists and maps. Looking at it does not count as reading. */
  readonly scalar: Scalar | undefined;
  member(name: string): Source | undefined;
  members(): readonly (readonly [name: string, member: Source])[];
  items(): readonly Source[];
  /** The raw value, all of it marked as read. */
  take(): unknown;
  /** A member, read if it is of this type; undefined otherwise. */
  text(name: string): string | undefined;
  number(name: string): number | undefined;
  boolean(name: string): boolean | undefined;
  /** A member that is a list of strings, or one string. */
  texts(name: string): readonly string[] | undefined;
  /** Whether nothing in it was read. */
  isUntouched(): boolean;
  /** The values that were not read: single members of maps, lists as a whole, and maps that `isNamed` wants as a whole. */
  rest(isNamed: (path: string) => boolean): readonly Source[];
}

export function createSource({ place, content }: SourceNode, path = ''): Source {
  let isTaken = false;
  const isScalar = typeof content !== 'object';
  const named = new Map<string, Source>();
  if (content instanceof Map) {
    for (const [name, node] of content) named.set(name, createSource(node, path === '' ? name : `${path}.${name}`));
  }
  const listed = Array.isArray(content)
    ? content.map((node: SourceNode, index) => createSource(node, `${path}[${index}]`))
    : [];
  const inner = [...named.values(), ...listed];
  const read = <T extends Scalar>(name: string, type: 'string' | 'number' | 'boolean'): T | undefined => {
    const member = named.get(name);
    return typeof member?.scalar === type ? (member?.take() as T) : undefined;
  };

  const source: Source = {
    path,
    place,
    scalar: isScalar ? content : undefined,
    member: (name) => named.get(name),
    members() {
      if (inner.length === 0) isTaken = true;
      return [...named];
    },
    items() {
      if (inner.length === 0) isTaken = true;
      return listed;
    },
    take() {
      isTaken = true;
      if (isScalar) return content;
      if (Array.isArray(content)) return listed.map((item) => item.take());
      return Object.fromEntries([...named].map(([name, member]) => [name, member.take()]));
    },
    text: (name) => read(name, 'string'),
    number: (name) => read(name, 'number'),
    boolean: (name) => read(name, 'boolean'),
    texts(name) {
      const member = named.get(name);
      if (typeof member?.scalar === 'string') return [member.take() as string];
      const texts = member?.items() ?? [];
      const isList = member !== undefined && member.scalar === undefined && member.members().length === 0;
      return isList && texts.every(({ scalar }) => typeof scalar === 'string')
        ? (member.take() as string[])
        : undefined;
    },
    isUntouched: () => !isTaken && inner.every((each) => each.isUntouched()),
    rest(isNamed) {
      if (isTaken) return [];
      if (inner.length === 0) return path === '' ? [] : [source];
      const isWhole = named.size === 0 || isNamed(path);
      return isWhole && source.isUntouched() ? [source] : inner.flatMap((each) => each.rest(isNamed));
    },
  };
  return source;
}
