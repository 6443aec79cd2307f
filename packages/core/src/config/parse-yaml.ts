// biome-ignore-all lint/suspicious/noTemplateCurlyInString: the messages are about just that
import { isAlias, isMap, isPair, isScalar, isSeq, LineCounter, parseDocument, type YAMLError } from 'yaml';
import { type ConfigPath, pathPointer } from './config-path.ts';
import type { Place } from './config-problem.ts';
import type { NodePlace, ParsedConfig, PlacedProblem } from './parsed-config.ts';

/** Far more than any config needs, and few enough that aliases of aliases cannot fill the memory. */
const MAX_NODES = 20_000;

/**
 * Parse YAML 1.2 with the core schema. Anchors and aliases may be used; tags of one's own, merge keys and keys that
 * are no text are refused.
 */
export function parseYaml(text: string): ParsedConfig {
  const lines = new LineCounter();
  const document = parseDocument(text, { lineCounter: lines, prettyErrors: false, version: '1.2' });
  const place = (offset: number | undefined): Place => {
    const { line, col } = lines.linePos(offset ?? 0);
    return { line: Math.max(line, 1), column: Math.max(col, 1) };
  };
  const faults = [...document.errors, ...document.warnings];
  if (faults.length > 0) {
    return { value: undefined, places: new Map(), problems: syntaxProblems(faults, place, text) };
  }

  const places = new Map<string, NodePlace>();
  const problems: PlacedProblem[] = [];
  let count = 0;

  const refuse = (path: ConfigPath, at: Place, message: string): undefined => {
    problems.push({ path, code: 'invalid_yaml', message, place: at });
    return undefined;
  };
  const visit = (node: unknown, path: ConfigPath, key: Place | undefined, above: readonly unknown[]): unknown => {
    const target = isAlias(node) ? node.resolve(document) : node;
    const at = place((node as { range?: [number, number, number] } | null)?.range?.[0] ?? undefined);
    count += 1;
    if (count > MAX_NODES) {
      return count === MAX_NODES + 1 ? refuse([], at, `has more than ${MAX_NODES} values, aliases counted`) : undefined;
    }
    if (isAlias(node) && target === undefined) return refuse(path, at, `there is no anchor "&${node.source}" before`);
    if (above.includes(target)) return refuse(path, at, 'is an alias of what it is in');
    places.set(pathPointer(path), { value: at, ...(key && { key }) });

    if (isSeq(target))
      return target.items.map((item, index) => visit(item, [...path, index], undefined, [...above, target]));
    if (isMap(target)) {
      const members = target.items.filter(isPair).flatMap(({ key: keyNode, value }): [string, unknown][] => {
        const keyPlace = place((keyNode as { range?: [number, number, number] } | null)?.range?.[0]);
        const name = isScalar(keyNode) ? keyName(keyNode.value, keyNode.source) : undefined;
        if (name === undefined) return refuse(path, keyPlace, 'has a key that is not a text') ?? [];
        if (name === '<<') {
          return (
            refuse(path, keyPlace, 'has a merge key (<<), which YAML 1.2 has not: use an alias, or repeat it') ?? []
          );
        }
        return [[name, visit(value, [...path, name], keyPlace, [...above, target])]];
      });
      return Object.fromEntries(members);
    }
    const value: unknown = isScalar(target) ? target.value : target;
    if (value === null || ['string', 'number', 'boolean'].includes(typeof value)) return value;
    return refuse(path, at, 'is neither a text, a number, true, false, a list nor a map');
  };

  const value = visit(document.contents, [], undefined, []);
  return { value, places, problems };
}

function keyName(value: unknown, source: string | undefined): string | undefined {
  return typeof value === 'string' ? value : source;
}

/** The first fault of each line: what follows on it is mostly its echo. Never the text itself, which may be a secret. */
function syntaxProblems(faults: readonly YAMLError[], place: (offset: number) => Place, text: string): PlacedProblem[] {
  const textLines = text.split('\n');
  const seen = new Set<number>();
  return faults.flatMap((fault) => {
    const at = place(fault.pos[0]);
    if (seen.has(at.line)) return [];
    seen.add(at.line);
    const code = fault.code === 'DUPLICATE_KEY' ? 'duplicate_key' : 'invalid_yaml';
    return [{ path: [], code, message: syntaxMessage(fault.code, textLines[at.line - 1] ?? ''), place: at }];
  });
}

function syntaxMessage(code: YAMLError['code'], line: string): string {
  switch (code) {
    case 'DUPLICATE_KEY':
      return 'is a key that the same map has already';
    case 'TAG_RESOLVE_FAILED':
      return 'has a tag (!) that is not known here';
    case 'MULTIPLE_DOCS':
      return 'begins a second document: a config file has one';
    case 'TAB_AS_INDENT':
      return 'is indented with a tab: use spaces';
    case 'BAD_SCALAR_START':
      return 'is a text that begins with a character reserved by YAML: put it in quotes';
    case 'MISSING_CHAR':
      return 'is not valid YAML: a closing quote, bracket or comma is missing';
    case 'BAD_INDENT':
      return 'is not valid YAML: the indentation does not fit';
    case 'BAD_DQ_ESCAPE':
      return "is not valid YAML: an escape (\\) in double quotes is wrong; in 'single quotes' there is none";
    default:
      return /[{[,].*\$\{/.test(line)
        ? 'is not valid YAML: inside of { } and [ ], "${...}" has to be in quotes'
        : 'is not valid YAML';
  }
}
