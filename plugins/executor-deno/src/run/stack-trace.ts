import { SourceMap } from 'node:module';
import type { Artifact } from '../artifact.ts';
import { plainText } from './plain-text.ts';

const MAX_FRAMES = 20;
const MAX_BYTES = 2048;
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
  let toSource: ((place: Place) => Place) | undefined;
  for (const text of stack.split('\n')) {
    const groups = ownFrame.exec(text)?.groups;
    if (groups === undefined) continue;
    toSource ??= sourcePlaces(artifact);
    const { line, column } = toSource({ line: Number(groups['line']), column: Number(groups['column']) });
    const place = `function.${artifact.language}:${line}:${column}`;
    const name = groups['name'] === undefined ? '' : plainText(groups['name'], 200);
    frames.push(name === '' ? `at ${place}` : `at ${name} (${place})`);
    if (frames.length === MAX_FRAMES) break;
  }
  const text = frames.join('\n');
  return text === '' ? undefined : text.slice(0, MAX_BYTES);
}

function sourcePlaces({ mappings, insertedLine }: Artifact): (place: Place) => Place {
  const map =
    mappings === undefined
      ? undefined
      : new SourceMap({
          version: 3,
          file: '',
          sources: ['function'],
          sourcesContent: [],
          names: [],
          mappings,
          sourceRoot: '',
        });
  return (generated) => {
    const entry = map?.findEntry(generated.line - 1, generated.column - 1);
    const place =
      entry !== undefined && 'originalLine' in entry
        ? { line: entry.originalLine + 1, column: entry.originalColumn + 1 }
        : generated;
    return insertedLine !== undefined && place.line > insertedLine ? { ...place, line: place.line - 1 } : place;
  };
}
