import { SourceMap } from 'node:module';
import type { Artifact } from '../function-code.ts';
import { plainText } from './plain-text.ts';

const MAX_FRAMES = 20;
const MAX_BYTES = 2048;
/** What the bundler calls a default export without a name. */
const UNNAMED = 'function_default';
// Deno writes long data: URLs with dots in the middle.
const ownFrame =
  /^ {4}at (?:(?<name>.{1,200}) \()?data:text\/javascript;base64,[\w+/=.]*:(?<line>\d+):(?<column>\d+)\)?$/u;

interface Place {
  readonly line: number;
  readonly column: number;
}

/** The frames of a V8 stack that lie in the author's code, at the places where the author wrote them. */
export function ownStackTrace(stack: string, artifact: Artifact): string | undefined {
  const frames: string[] = [];
  let toSource: ((place: Place) => Place | undefined) | undefined;
  for (const text of stack.split('\n')) {
    const groups = ownFrame.exec(text)?.groups;
    if (groups === undefined) continue;
    toSource ??= sourcePlaces(artifact);
    const found = toSource({ line: Number(groups['line']), column: Number(groups['column']) });
    // A frame within a package.
    if (found === undefined) continue;
    const { line, column } = found;
    const place = `function.${artifact.language}:${line}:${column}`;
    const name = plainText(groups['name'] === UNNAMED ? '' : (groups['name'] ?? ''), 200);
    frames.push(name === '' ? `at ${place}` : `at ${name} (${place})`);
    if (frames.length === MAX_FRAMES) break;
  }
  const text = frames.join('\n');
  return text === '' ? undefined : text.slice(0, MAX_BYTES);
}

const OWN = 'function';

function sourcePlaces({ mappings, insertedLine, ownSource = 0 }: Artifact): (place: Place) => Place | undefined {
  // The map has more sources than are named here: those after the author's, which nobody asks for.
  const sources = [...Array.from({ length: ownSource }, () => ''), OWN];
  const map =
    mappings === undefined
      ? undefined
      : new SourceMap({ version: 3, file: '', sources, sourcesContent: [], names: [], mappings, sourceRoot: '' });
  return (generated) => {
    const entry = map?.findEntry(generated.line - 1, generated.column - 1);
    const isMapped = entry !== undefined && 'originalLine' in entry;
    if (isMapped && entry.originalSource !== OWN) return undefined;
    const place = isMapped ? { line: entry.originalLine + 1, column: entry.originalColumn + 1 } : generated;
    return insertedLine !== undefined && place.line > insertedLine ? { ...place, line: place.line - 1 } : place;
  };
}
