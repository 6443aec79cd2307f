// biome-ignore-all lint/suspicious/noTemplateCurlyInString: the messages are about just that
import {
  isAlias,
  isMap,
  isNode,
  isScalar,
  isSeq,
  LineCounter,
  parseDocument,
  type Scalar,
  type YAMLError,
  type YAMLMap,
} from 'yaml';
import { type ConfigPath, pathPointer } from './config-path.ts';
import type { NodePlace, ParsedConfig, Place, PlacedProblem } from './config-problem.ts';

/** Far more than any config needs, and few enough that aliases of aliases cannot fill the memory. */
const MAX_NODES = 20_000;

/**
 * Parse YAML 1.2 with the core schema. Anchors and aliases may be used; custom tags, merge keys and keys that are not
 * strings are rejected.
 */
export function parseYaml(text: string): ParsedConfig {
  const lines = new LineCounter();
  const document = parseDocument(text, { lineCounter: lines, prettyErrors: false, version: '1.2' });
  const place = (offset: number): Place => {
    const { line, col } = lines.linePos(offset);
    return { line: Math.max(line, 1), column: Math.max(col, 1) };
  };
  const faults = [...document.errors, ...document.warnings];
  if (faults.length > 0) {
    return { value: undefined, places: new Map(), problems: syntaxProblems(faults, place, text) };
  }

  const places = new Map<string, NodePlace>();
  const problems: PlacedProblem[] = [];
  let count = 0;

  const refuse = (path: ConfigPath, at: Place, message: string): void => {
    problems.push({ path, code: 'invalid_yaml', message, place: at });
  };
  const visitMap = (map: YAMLMap, path: ConfigPath, above: readonly unknown[]): object => {
    const members: [string, unknown][] = [];
    for (const { key, value } of map.items) {
      const at = place(startOf(key));
      const name = isScalar(key) ? keyName(key) : undefined;
      if (name === undefined) refuse(path, at, 'has a key that is not a string');
      else if (name === '<<')
        refuse(path, at, 'has a merge key (<<), which YAML 1.2 has not: use an alias, or repeat it');
      else members.push([name, visit(value, [...path, name], above, at)]);
    }
    return Object.fromEntries(members);
  };
  const visit = (node: unknown, path: ConfigPath, above: readonly unknown[], key?: Place): unknown => {
    const at = place(startOf(node));
    count += 1;
    if (count === MAX_NODES + 1) refuse([], at, `has more than ${MAX_NODES} values, aliases counted`);
    if (count > MAX_NODES) return undefined;
    places.set(pathPointer(path), { value: at, ...(key && { key }) });

    const target = isAlias(node) ? node.resolve(document) : node;
    if (isAlias(node) && target === undefined) return refuse(path, at, `there is no anchor "&${node.source}" before`);
    if (above.includes(target)) return refuse(path, at, 'is an alias of what it is in');
    if (isMap(target)) return visitMap(target, path, [...above, target]);
    if (isSeq(target)) return target.items.map((item, index) => visit(item, [...path, index], [...above, target]));
    const value: unknown = isScalar(target) ? target.value : target;
    if (value === null || ['string', 'number', 'boolean'].includes(typeof value)) return value;
    return refuse(path, at, 'is neither a string, a number, true, false, a list nor a map');
  };

  const value = visit(document.contents, [], []);
  return { value, places, problems };
}

/** Offset of a node in the text; 0 for a missing node, such as the value of an empty document. */
function startOf(node: unknown): number {
  return isNode(node) ? (node.range?.[0] ?? 0) : 0;
}

function keyName({ value, source }: Scalar): string | undefined {
  return typeof value === 'string' ? value : source;
}

/**
 * The first fault of each line: the others are mostly consequences of it. Never the text itself, which may be a secret.
 */
function syntaxProblems(faults: readonly YAMLError[], place: (offset: number) => Place, text: string): PlacedProblem[] {
  const textLines = text.split('\n');
  const seen = new Set<number>();
  return faults.flatMap((fault) => {
    const at = place(fault.pos[0]);
    if (seen.has(at.line)) return [];
    seen.add(at.line);
    const code = fault.code === 'DUPLICATE_KEY' ? 'duplicate_key' : 'invalid_yaml';
    return [{ path: [], code, message: syntaxMessage(fault, textLines[at.line - 1] ?? '', at.column), place: at }];
  });
}

const syntaxMessages: Readonly<Partial<Record<YAMLError['code'], string>>> = {
  TAG_RESOLVE_FAILED: 'has a tag (!) that is not known here',
  MULTIPLE_DOCS: 'begins a second document: a config file has one',
  TAB_AS_INDENT: 'is indented with a tab: use spaces',
  BAD_SCALAR_START: 'is a string that begins with a character reserved by YAML: put it in quotes',
  MISSING_CHAR: 'is not valid YAML: a closing quote, bracket or comma is missing',
  BAD_INDENT: 'is not valid YAML: the indentation does not fit',
  BAD_DQ_ESCAPE: "is not valid YAML: an escape (\\) in double quotes is wrong; in 'single quotes' there is none",
};

function syntaxMessage({ code, message }: YAMLError, line: string, column: number): string {
  // The same code for two faults: a bracket that is never closed ends where the indentation does.
  if (code === 'BAD_INDENT' && /must be .* and end with a [}\]]/.test(message)) {
    return 'is not valid YAML: a } or ] before this is missing, or its lines are not indented';
  }
  if (code === 'DUPLICATE_KEY') return `${keyAt(line.slice(column - 1))}is a key that the same map has already`;
  const isBareReference = /[{[,].*\$\{/.test(line);
  const other = 'is not valid YAML: inside { } and [ ], "${...}" must be in quotes';
  return syntaxMessages[code] ?? (isBareReference ? other : 'is not valid YAML');
}

/**
 * `"name" ` if a line begins with a single-line key; nothing for other forms, which are rarely repeated by accident.
 */
function keyAt(text: string): string {
  const [, quoted, plain] = /^(?:["']([^"'\\]{1,80})["']|([^\s"'#:{}[\],]{1,80}))\s*:(?:\s|$)/.exec(text) ?? [];
  const name = quoted ?? plain;
  return name === undefined ? '' : `"${name}" `;
}
