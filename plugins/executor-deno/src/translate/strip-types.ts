import { SourceMap } from 'node:module';
import { transformSync } from 'oxc-transform';
import { type Fault, type Place, placesOf, syntaxFaults } from './fault.ts';
import { parseAs } from './parse-source.ts';

/** TypeScript to JavaScript, with mappings back to every position. */
export function stripTypes(
  text: string,
  insertedLine: number | undefined,
): { readonly module: string; readonly mappings: string } | { readonly faults: readonly Fault[] } {
  const { code, map, errors } = transformSync('function.ts', text, {
    lang: 'ts',
    sourceType: 'module',
    target: 'esnext',
    sourcemap: true,
  });
  const toSource = (place: Place): Place =>
    insertedLine !== undefined && place.line > insertedLine ? { ...place, line: place.line - 1 } : place;
  if (errors.length > 0 || map === undefined) {
    return { faults: syntaxFaults(errors, (offset) => toSource(placesOf(text)(offset))) };
  }
  // Some errors of a program are detected in JavaScript only, such as a second default export.
  const checked = parseAs('js', code);
  if ('errors' in checked) {
    const sourceMap = new SourceMap({ ...map, file: '', sourcesContent: [], sourceRoot: '' });
    const placeOf = placesOf(code);
    return { faults: syntaxFaults(checked.errors, (offset) => toSource(originalPlace(sourceMap, placeOf(offset)))) };
  }
  return { module: code, mappings: map.mappings };
}

function originalPlace(map: SourceMap, generated: Place): Place {
  const entry = map.findEntry(generated.line - 1, generated.column - 1);
  return 'originalLine' in entry ? { line: entry.originalLine + 1, column: entry.originalColumn + 1 } : generated;
}
