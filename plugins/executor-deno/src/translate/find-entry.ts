import type { ExportDefaultDeclaration, ExpressionStatement, Program } from 'oxc-parser';
import { type FunctionNode, functionOf } from './function-node.ts';
import { type TopLevel, topLevelOf } from './top-level.ts';

/** Where the function of a program is. `node` is its syntax, where the program shows it. */
export type Entry =
  | { readonly kind: 'default'; readonly node?: FunctionNode }
  | { readonly kind: 'name'; readonly name: string; readonly node?: FunctionNode }
  | { readonly kind: 'expression'; readonly start: number; readonly node: FunctionNode };

export interface NoEntry {
  readonly kind: 'none';
  readonly detail: string;
  readonly start?: number;
}

const CONVENTIONAL_NAMES = ['main', 'handler'];

/**
 * The one function that a program is about: the default export, else `main` or `handler`, exported before not
 * exported, else the only exported function, else the last function at the top level, else the function that the whole
 * program is.
 */
export function findEntry(program: Program): Entry | NoEntry {
  const entry = candidate(program);
  if (entry.kind !== 'none' && entry.node?.generator === true) {
    const detail = 'A generator cannot be the function: it would return an iterator, not an output';
    return { kind: 'none', detail, start: entry.node.start };
  }
  return entry;
}

function candidate(program: Program): Entry | NoEntry {
  const topLevel = topLevelOf(program);
  for (const statement of program.body) {
    if (statement.type === 'ExportDefaultDeclaration') {
      const entry = defaultEntry(statement, topLevel);
      if (entry !== undefined) return entry;
    }
  }
  const { functions, exports } = topLevel;
  const exportedDefault = exports.get('default');
  if (exportedDefault !== undefined) return { kind: 'default', ...nodeOf(functions.get(exportedDefault)) };
  const name = entryName(topLevel);
  if (name !== undefined) return { kind: 'name', name, ...nodeOf(functions.get(name)) };
  return (
    wholeProgram(program) ?? {
      kind: 'none',
      detail: 'The code has no function: write one, such as `async function main(input) {…}`',
    }
  );
}

function defaultEntry({ declaration }: ExportDefaultDeclaration, { functions }: TopLevel): Entry | NoEntry | undefined {
  switch (declaration.type) {
    case 'FunctionDeclaration':
      return { kind: 'default', node: declaration };
    // Types are exported beside values.
    case 'TSInterfaceDeclaration':
    case 'TSDeclareFunction':
      return undefined;
    case 'ClassDeclaration':
    case 'ClassExpression':
    case 'ObjectExpression':
    case 'ArrayExpression':
    case 'Literal':
    case 'TemplateLiteral':
      return { kind: 'none', detail: 'The default export is not a function', start: declaration.start };
    case 'Identifier':
      return { kind: 'default', ...nodeOf(functions.get(declaration.name)) };
    default:
      return { kind: 'default', ...nodeOf(functionOf(declaration as Parameters<typeof functionOf>[0])) };
  }
}

function entryName({ functions, exports }: TopLevel): string | undefined {
  for (const name of CONVENTIONAL_NAMES) {
    const own = exports.get(name);
    if (own !== undefined) return own;
  }
  const conventional = CONVENTIONAL_NAMES.find((name) => functions.has(name));
  if (conventional !== undefined) return conventional;
  const exported = [...exports.values()].filter((name) => functions.has(name));
  return exported.length === 1 ? exported[0] : [...functions.keys()].at(-1);
}

function wholeProgram(program: Program): Entry | undefined {
  const statements = program.body.filter(
    (statement): statement is ExpressionStatement =>
      statement.type === 'ExpressionStatement' &&
      !('directive' in statement && typeof statement.directive === 'string'),
  );
  const [only] = statements;
  const node = statements.length === 1 ? functionOf(only?.expression) : undefined;
  return only === undefined || node === undefined ? undefined : { kind: 'expression', start: only.start, node };
}

const nodeOf = (node: FunctionNode | undefined): { readonly node?: FunctionNode } =>
  node === undefined ? {} : { node };
