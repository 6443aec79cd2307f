import type { Category, Expected, HostileProgram } from './hostile-program.ts';
import { attemptOf, functionOf } from './toolkit.ts';

/** Code by the name of the program. */
export type Rows = Readonly<Record<string, string>>;

type Rest = Partial<Omit<HostileProgram, 'category' | 'name' | 'code' | 'expression' | 'expected'>>;

/** The attempt fails with an error of this name or code. Several are written with `|`. */
export const refused = (error: string): Expected => ({ output: { refused: error } });
/** The attempt gives this, which is of no use. */
export const got = (value: unknown): Expected => ({ output: { got: value } });
export const either = (...expected: readonly Expected[]): Expected => ({ either: expected });
export const threw: Expected = { reasons: ['function_threw'] };

/** For what needs a global name that is not there. Where it is, permissions refuse. */
export const needsDeno = { expectedWithGlobals: refused('NotCapable') } as const;
export const noSuchName = refused('ReferenceError');

// A function cannot import anything: every `import` is refused when it is saved, and no code comes out of a text.
const IMPORTS = /\b(?:load|node|worker|Function|constructor)\(|\beval\)?\(/u;
const cannotImport: Expected = { reasons: ['function_threw'], message: /^EvalError: Code generation from strings/u };

/**
 * Each row is an expression, or a block that returns. The output is `{ got }` with its value, or
 * `{ refused, message }`. What is expected of rows that import holds where they can.
 */
export function attempts(
  category: Category,
  expected: Expected,
  rows: Rows,
  rest: Rest = {},
): readonly HostileProgram[] {
  return Object.entries(rows).map(([name, expression]) => {
    const program = { category, name, code: attemptOf(expression), expression };
    if (!IMPORTS.test(expression)) return { ...program, expected, ...rest };
    return { ...program, expected: refused('EvalError'), expectedWithGlobals: expected, ...rest };
  });
}

/** Each row is the body of the function. What is expected of rows that import holds where they can. */
export function bodies(category: Category, expected: Expected, rows: Rows, rest: Rest = {}): readonly HostileProgram[] {
  return Object.entries(rows).map(([name, body]) => {
    const program = { category, name, code: functionOf(body) };
    if (!IMPORTS.test(body)) return { ...program, expected, ...rest };
    return { ...program, expected: either(cannotImport, expected), expectedWithGlobals: expected, ...rest };
  });
}

/** Each row is the whole source. */
export function sources(
  category: Category,
  expected: Expected,
  rows: Rows,
  rest: Rest = {},
): readonly HostileProgram[] {
  return Object.entries(rows).map(([name, code]) => ({ category, name, code, expected, ...rest }));
}
