import { type DocumentNode, parse, type ValueNode } from '@humanwhocodes/momoa';
import { type ConfigPath, pathPointer } from './config-path.ts';
import type { NodePlace, ParsedConfig, PlacedProblem } from './config-problem.ts';

/** Parse strict JSON: comments, trailing commas and duplicate keys are rejected. */
export function parseJson(text: string): ParsedConfig {
  const bare = text.replace(/^\uFEFF/, '');
  const refused = (place: { line: number; column: number }): ParsedConfig => ({
    value: undefined,
    places: new Map(),
    problems: [{ path: [], code: 'invalid_json', message: 'is not valid JSON', place }],
  });
  let document: DocumentNode;
  try {
    document = parse(bare, { mode: 'json' });
    // The parser that reports positions accepts control characters in strings.
    JSON.parse(bare);
  } catch (error) {
    const { line = 1, column = 1 } = error as { line?: number; column?: number };
    return refused({ line, column });
  }

  const places = new Map<string, NodePlace>();
  const problems: PlacedProblem[] = [];
  const visit = (node: ValueNode, path: ConfigPath, key: NodePlace['key']): unknown => {
    const { line, column } = node.loc.start;
    places.set(pathPointer(path), { value: { line, column }, ...(key && { key }) });
    if (node.type === 'Array')
      return node.elements.map(({ value }, index) => visit(value, [...path, index], undefined));
    if (node.type === 'Object') {
      const seen = new Set<string>();
      const members = node.members.map(({ name, value }): [string, unknown] => {
        const member = name.type === 'String' ? name.value : name.name;
        const place = { line: name.loc.start.line, column: name.loc.start.column };
        if (seen.has(member)) {
          const message = 'is a key that the same object has already';
          problems.push({ path: [...path, member], code: 'duplicate_key', message, place });
        }
        seen.add(member);
        return [member, visit(value, [...path, member], place)];
      });
      return Object.fromEntries(members);
    }
    return 'value' in node ? node.value : null;
  };
  const value = visit(document.body, [], undefined);
  return { value, places, problems };
}
