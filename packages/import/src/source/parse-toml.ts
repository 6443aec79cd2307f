import { type AST, getStaticTOMLValue, ParseError, parseTOML } from 'toml-eslint-parser';
import { type Scalar, SourceError, type SourceNode } from './source-node.ts';

/** A map that is being filled: TOML tables are reopened again and again. */
type Members = Map<string, SourceNode>;

/** @throws SourceError with the position of the error. */
export function parseToml(text: string, file: string): SourceNode {
  const placeOf = ({ loc }: AST.TOMLNode): string => `${file}:${loc.start.line}:${loc.start.column + 1}`;

  /** The map below a path, created if it is missing. */
  const open = (root: Members, path: readonly (string | number)[], place: string): Members => {
    let content: Members | SourceNode[] = root;
    path.forEach((name, index) => {
      const next = path[index + 1];
      let node: SourceNode | undefined = Array.isArray(content) ? content[name as number] : content.get(name as string);
      if (node === undefined) {
        node = { place, content: typeof next === 'number' ? [] : new Map<string, SourceNode>() };
        if (Array.isArray(content)) content.push(node);
        else content.set(name as string, node);
      }
      content = node.content as Members | SourceNode[];
    });
    return content as unknown as Members;
  };
  const assign = (members: Members, pairs: readonly AST.TOMLKeyValue[]): void => {
    for (const pair of pairs) {
      const names = pair.key.keys.map((key) => (key.type === 'TOMLBare' ? key.name : key.value));
      const last = names.at(-1) ?? '';
      open(members, names.slice(0, -1), placeOf(pair.key)).set(last, nodeOf(pair.value, placeOf(pair.key)));
    }
  };
  const nodeOf = (node: AST.TOMLContentNode, place: string): SourceNode => {
    if (node.type === 'TOMLArray') {
      return { place, content: node.elements.map((element) => nodeOf(element, placeOf(element))) };
    }
    if (node.type === 'TOMLInlineTable') {
      const members: Members = new Map();
      assign(members, node.body);
      return { place, content: members };
    }
    const value: unknown = getStaticTOMLValue(node);
    return {
      place,
      content: ['string', 'number', 'boolean'].includes(typeof value) ? (value as Scalar) : String(value),
    };
  };

  const root: Members = new Map();
  for (const each of parse(text, file).body[0].body) {
    if (each.type === 'TOMLKeyValue') assign(root, [each]);
    else assign(open(root, each.resolvedKey, placeOf(each)), each.body);
  }
  return { place: `${file}:1:1`, content: root };
}

function parse(text: string, file: string): AST.TOMLProgram {
  try {
    return parseTOML(text);
  } catch (error) {
    if (!(error instanceof ParseError)) throw error;
    throw new SourceError(`${file}:${error.lineNumber}:${error.column + 1} ${error.message}`);
  }
}
