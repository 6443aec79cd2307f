import type { OxcError, Program } from 'oxc-parser';
import { type Fault, MAX_FAULTS, type Place } from './fault.ts';
import { type Entry, findEntry } from './find-entry.ts';
import type { FunctionNode } from './function-node.ts';
import { hasImports } from './imports.ts';
import { type Language, parseSource } from './parse-source.ts';
import { placesOf } from './places.ts';
import { refusedSyntax } from './refused-syntax.ts';
import { stripTypes } from './strip-types.ts';

/** A source that can be run. */
export interface Translation {
  readonly kind: 'translation';
  readonly language: Language;
  /** JavaScript module whose default export is the function. */
  readonly module: string;
  readonly insertedLine?: number;
  readonly mappings?: string;
  /** The module before its types were removed, for a type check. Only where there are types. */
  readonly typed?: TypedModule;
  /** It needs packages, and cannot be run without them. */
  readonly hasImports: boolean;
}

/** A TypeScript module whose default export is the function, and where its author declared what it takes and returns. */
export interface TypedModule {
  readonly text: string;
  readonly parameter: Place;
  readonly result: Place;
}

export type TranslateAnswer = Translation | { readonly kind: 'faults'; readonly faults: readonly Fault[] };

const EXPORT = 'export default\n';

export interface TranslateQuestion {
  readonly code: string;
  /** Names of the packages that may be imported. */
  readonly packages: readonly string[];
}

/** Turn what an author wrote into a module, or say what is wrong with it. */
export function translate({ code, packages }: TranslateQuestion): TranslateAnswer {
  const placeOf = placesOf(code);
  const source = parseFunction(code);
  if ('errors' in source) return { kind: 'faults', faults: syntaxFaults(source.errors, placeOf) };
  const { program, language } = source;
  const toPlace = (offset: number): Place => placeOf(Math.max(0, offset - source.prefix));
  const refused = refusedSyntax(program, packages, toPlace);
  if (refused.length > 0) return { kind: 'faults', faults: refused };
  const entry = findEntry(program);
  if (entry.kind === 'none') {
    const place = entry.start === undefined ? {} : toPlace(entry.start);
    return { kind: 'faults', faults: [{ code: 'no_function', detail: entry.detail, ...place }] };
  }
  const { text, insertedLine } = exporting(code, entry, source.prefix > 0, placeOf);
  const inserted = insertedLine === undefined ? {} : { insertedLine };
  const shared = { kind: 'translation', language, hasImports: hasImports(program), ...inserted } as const;
  if (language === 'js') return { ...shared, module: text };
  const stripped = stripTypes(text, insertedLine);
  if ('faults' in stripped) return { kind: 'faults', faults: stripped.faults };
  const typed = { text, ...declaredPlaces(entry.node, toPlace) };
  return { ...shared, ...stripped, typed };
}

interface ParsedFunction {
  readonly program: Program;
  readonly language: Language;
  /** Characters that were put before the code so that it parses. */
  readonly prefix: number;
}

/** `function ({ text }) {…}` alone is no statement, and is a default export. */
function parseFunction(code: string): ParsedFunction | { readonly errors: readonly OxcError[] } {
  const source = parseSource(code);
  if ('program' in source) return { ...source, prefix: 0 };
  if (!/\bfunction\s*\*?\s*[(<]/u.test(code)) return source;
  const exported = parseSource(EXPORT + code);
  const isOneFunction = 'program' in exported && exported.program.body.length === 1;
  return isOneFunction ? { ...exported, prefix: EXPORT.length } : source;
}

function syntaxFaults(errors: readonly OxcError[], placeOf: (offset: number) => Place): readonly Fault[] {
  return errors.slice(0, MAX_FAULTS).map(({ message, labels: [label] }) => ({
    code: 'syntax',
    detail: message,
    ...(label === undefined ? {} : placeOf(label.start)),
  }));
}

/** Make the entry the default export, and leave everything of the author's in its line and column. */
function exporting(
  code: string,
  entry: Entry,
  prefixed: boolean,
  placeOf: (offset: number) => Place,
): { readonly text: string; readonly insertedLine?: number } {
  if (prefixed) return { text: EXPORT + code, insertedLine: 1 };
  switch (entry.kind) {
    case 'default':
      return { text: code };
    case 'name':
      return { text: `${code}\nexport { ${entry.name} as default };\n` };
    case 'expression': {
      const { line, column } = placeOf(entry.start);
      const indent = ' '.repeat(column - 1);
      return { text: code.slice(0, entry.start) + EXPORT + indent + code.slice(entry.start), insertedLine: line };
    }
  }
}

function declaredPlaces(
  node: FunctionNode | undefined,
  placeOf: (offset: number) => Place,
): { readonly parameter: Place; readonly result: Place } {
  const start = node?.start ?? 0;
  return {
    parameter: placeOf(node?.params[0]?.start ?? start),
    result: placeOf(node?.returnType?.typeAnnotation.start ?? node?.id?.start ?? start),
  };
}
