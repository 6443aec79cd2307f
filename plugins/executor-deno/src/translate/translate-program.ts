import { type Place, placesOf, syntaxFaults } from './fault.ts';
import { nodesOf, parseAs } from './parse-source.ts';
import { refusedSyntax } from './refused-syntax.ts';
import { stripTypes } from './strip-types.ts';
import type { TranslateAnswer } from './translation.ts';

/** One line above those of the author, up to the brace that opens the body. What calls the body is in it, too. */
const HEAD =
  'export default async ({}: object, { functions, log }: { readonly functions: Functions; ' +
  "readonly log: Context['log'] }) => ({ value: await ((body: () => Promise<unknown>) => body())(async () => {\n";
const TAIL = '\n}) });\n';

/**
 * Translate a program, the body of an async function, into a module. It gets two members of the context by name, and
 * cannot reach the others: an arrow function has no `arguments`.
 */
export function translateProgram(code: string): TranslateAnswer {
  const text = HEAD + code + TAIL;
  const placeIn = placesOf(code);
  const placeOf = (offset: number): Place => placeIn(Math.min(Math.max(0, offset - HEAD.length), code.length));
  const source = parseAs('ts', text);
  if ('errors' in source) return { kind: 'faults', faults: syntaxFaults(source.errors, placeOf) };
  const { program } = source;
  const end = endOfBody(nodesOf(program));
  if (end !== text.length - TAIL.length + '\n}'.length) {
    const detail = 'A brace closes the program before its end';
    return { kind: 'faults', faults: [{ code: 'syntax', detail, ...placeOf(end - 1) }] };
  }
  const refused = refusedSyntax(program, [], placeOf);
  if (refused.length > 0) return { kind: 'faults', faults: refused };
  const insertedLine = 1;
  const stripped = stripTypes(text, insertedLine);
  if ('faults' in stripped) return { kind: 'faults', faults: stripped.faults };
  const start = { line: 1, column: 1 };
  const typed = { text, parameter: start, result: start };
  return { kind: 'translation', language: 'ts', hasImports: false, insertedLine, ...stripped, typed };
}

/** Where the block that the head opens ends. */
function endOfBody(nodes: Iterable<{ readonly start: number; readonly end: number }>): number {
  for (const { start, end } of nodes) if (start === HEAD.length - '{\n'.length) return end;
  return 0;
}
