import { SourceMap } from 'node:module';
import { transformSync } from 'oxc-transform';
import { type Fault, MAX_FAULTS, type Place } from './fault.ts';
import { parseAs } from './parse-source.ts';
import { placesOf } from './places.ts';

export interface StrippedModule {
  readonly module: string;
  readonly mappings: string;
}

/** TypeScript to JavaScript, with the way back to every place. */
export function stripTypes(
  text: string,
  insertedLine: number | undefined,
): StrippedModule | { readonly faults: readonly Fault[] } {
  const { code, map, errors } = transformSync('function.ts', text, {
    lang: 'ts',
    sourceType: 'module',
    target: 'esnext',
    sourcemap: true,
  });
  const toSource = (place: Place): Place =>
    insertedLine !== undefined && place.line > insertedLine ? { ...place, line: place.line - 1 } : place;
  if (errors.length > 0 || map === undefined) {
    return { faults: faultsOf(errors, (offset) => toSource(placesOf(text)(offset))) };
  }
  // Some of what is wrong with a program is looked for in JavaScript only, such as a second default export.
  const checked = parseAs('js', code);
  if ('errors' in checked) {
    const sourceMap = new SourceMap({ ...map, file: '', sourcesContent: [], sourceRoot: '' });
    const placeOf = placesOf(code);
    return { faults: faultsOf(checked.errors, (offset) => toSource(originalPlace(sourceMap, placeOf(offset)))) };
  }
  return { module: code, mappings: map.mappings };
}

function faultsOf(
  errors: readonly { readonly message: string; readonly labels: readonly { readonly start: number }[] }[],
  placeOf: (offset: number) => Place,
): readonly Fault[] {
  return errors.slice(0, MAX_FAULTS).map(({ message, labels: [label] }) => ({
    code: 'syntax',
    detail: message,
    ...(label === undefined ? {} : placeOf(label.start)),
  }));
}

function originalPlace(map: SourceMap, generated: Place): Place {
  const entry = map.findEntry(generated.line - 1, generated.column - 1);
  return 'originalLine' in entry ? { line: entry.originalLine + 1, column: entry.originalColumn + 1 } : generated;
}
