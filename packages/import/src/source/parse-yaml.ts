import { isAlias, isMap, isNode, isScalar, isSeq, LineCounter, parseDocument, type YAMLMap } from 'yaml';
import { type Scalar, SourceError, type SourceNode } from './source-node.ts';

/**
 * Parse YAML as Python does: version 1.1, with merge keys. A member without a value is left out.
 *
 * @throws SourceError with the position of the first error.
 */
export function parseYaml(text: string, file: string): SourceNode {
  const lines = new LineCounter();
  const document = parseDocument(text, { version: '1.1', lineCounter: lines, prettyErrors: false });
  const placeOf = (offset: number): string => {
    const { line, col } = lines.linePos(offset);
    return `${file}:${Math.max(line, 1)}:${Math.max(col, 1)}`;
  };
  const [error] = document.errors;
  if (error) throw new SourceError(`${placeOf(error.pos[0])} ${error.message}`);

  const membersOf = (map: YAMLMap): Map<string, SourceNode> => {
    const members = new Map<string, SourceNode>();
    for (const { key, value } of map.items) {
      const name = isScalar(key) ? String(key.source ?? key.value) : String(key);
      if (name === '<<') {
        const merged = visit(value)?.content;
        const maps = Array.isArray(merged) ? merged.map(({ content }: SourceNode) => content) : [merged];
        for (const each of maps) {
          if (each instanceof Map) for (const [inner, node] of each) if (!members.has(inner)) members.set(inner, node);
        }
        continue;
      }
      const node = visit(value);
      if (node) members.set(name, node);
    }
    return members;
  };
  const visit = (node: unknown): SourceNode | undefined => {
    const target = isAlias(node) ? node.resolve(document) : node;
    const place = placeOf(isNode(node) ? (node.range?.[0] ?? 0) : 0);
    if (isMap(target)) return { place, content: membersOf(target) };
    if (isSeq(target)) return { place, content: target.items.flatMap((item) => visit(item) ?? []) };
    if (!isScalar(target) || target.value === null || target.value === undefined) return undefined;
    const { value, source = '' } = target;
    // A single letter is a string to Python. A date, which is an API version here, is kept as written.
    const isPlain = ['string', 'number', 'boolean'].includes(typeof value) && !/^[yn]$/i.test(source);
    return { place, content: isPlain ? (value as Scalar) : source };
  };
  return visit(document.contents) ?? { place: placeOf(0), content: new Map() };
}
