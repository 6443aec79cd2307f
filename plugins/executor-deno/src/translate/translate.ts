import type { OxcError, Program } from 'oxc-parser';
import { type Place, placesOf, syntaxFaults } from './fault.ts';
import { type Entry, type FunctionNode, findEntry } from './find-entry.ts';
import { type Language, parseSource } from './parse-source.ts';
import { type ImportablePackages, refusedSyntax } from './refused-syntax.ts';
import { stripTypes } from './strip-types.ts';
import { translateProgram } from './translate-program.ts';
import type { TranslateAnswer } from './translation.ts';

const EXPORT = 'export default\n';

interface FunctionToTranslate {
  readonly code: string;
  /** Names of the packages that may be imported. */
  readonly packages: ImportablePackages;
}

export type TranslateQuestion = FunctionToTranslate | { readonly program: string };

/** Translate source code into a module, or report its errors. */
export function translate(question: TranslateQuestion): TranslateAnswer {
  return 'program' in question ? translateProgram(question.program) : translateFunction(question);
}

function translateFunction({ code, packages }: FunctionToTranslate): TranslateAnswer {
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
  const shared = { kind: 'translation', language, hasImports: hasImports(program), insertedLine } as const;
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

/** `function ({ text }) {…}` alone is not a statement, but is a default export. */
function parseFunction(code: string): ParsedFunction | { readonly errors: readonly OxcError[] } {
  const source = parseSource(code);
  if ('program' in source) return { ...source, prefix: 0 };
  if (!/\bfunction\s*\*?\s*[(<]/u.test(code)) return source;
  const exported = parseSource(EXPORT + code);
  const isOneFunction = 'program' in exported && exported.program.body.length === 1;
  return isOneFunction ? { ...exported, prefix: EXPORT.length } : source;
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

/** Whether something of a package is left once the types are gone. */
function hasImports(program: Program): boolean {
  return program.body.some(
    (statement) =>
      statement.type === 'ImportDeclaration' &&
      statement.importKind !== 'type' &&
      (statement.specifiers.length === 0 ||
        statement.specifiers.some(
          (specifier) => specifier.type !== 'ImportSpecifier' || specifier.importKind !== 'type',
        )),
  );
}
