import type {
  ArrowFunctionExpression,
  Declaration,
  ExportDefaultDeclaration,
  Expression,
  Function as FunctionSyntax,
  ModuleExportName,
  Program,
} from 'oxc-parser';

/** A function with a body, in any of its forms. */
export type FunctionNode = FunctionSyntax | ArrowFunctionExpression;

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
 * exported, else the only exported function, else a function expression that stands alone (it can have no other
 * purpose), else the last function at the top level.
 */
export function findEntry(program: Program): Entry | NoEntry {
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
  const name = conventionalName(topLevel) ?? onlyExport(topLevel);
  if (name !== undefined) return { kind: 'name', name, ...nodeOf(functions.get(name)) };
  const expression = loneExpression(program);
  if (expression !== undefined) return expression;
  const last = [...functions].at(-1);
  if (last !== undefined) return { kind: 'name', name: last[0], node: last[1] };
  return { kind: 'none', detail: 'The code has no function: write one, such as `async function main(input) {…}`' };
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

function conventionalName({ functions, exports }: TopLevel): string | undefined {
  for (const name of CONVENTIONAL_NAMES) {
    const own = exports.get(name);
    if (own !== undefined) return own;
  }
  return CONVENTIONAL_NAMES.find((name) => functions.has(name));
}

function onlyExport({ functions, exports }: TopLevel): string | undefined {
  const names = [...exports.values()].filter((name) => functions.has(name));
  return names.length === 1 ? names[0] : undefined;
}

function loneExpression(program: Program): Entry | undefined {
  const found = program.body.flatMap((statement) => {
    const node = statement.type === 'ExpressionStatement' ? functionOf(statement.expression) : undefined;
    return node === undefined ? [] : [{ kind: 'expression', start: statement.start, node } as const];
  });
  return found.length === 1 ? found[0] : undefined;
}

const nodeOf = (node: FunctionNode | undefined): { readonly node?: FunctionNode } =>
  node === undefined ? {} : { node };

/** The names at the top level of a module that may be its function. */
interface TopLevel {
  /** Functions by their own name, in the order of the text. */
  readonly functions: ReadonlyMap<string, FunctionNode>;
  /** Own names by the name under which they are exported. */
  readonly exports: ReadonlyMap<string, string>;
}

function topLevelOf(program: Program): TopLevel {
  const functions = new Map<string, FunctionNode>();
  const exports = new Map<string, string>();

  const declare = (declaration: Declaration, exported: boolean): void => {
    for (const [name, node] of declaredBy(declaration)) {
      if (node !== undefined) functions.set(name, node);
      if (exported) exports.set(name, name);
    }
  };
  for (const statement of program.body) {
    if (statement.type === 'ExportNamedDeclaration') {
      if (statement.declaration !== null) declare(statement.declaration, true);
      for (const { local, exported, exportKind } of statement.specifiers) {
        if (exportKind !== 'type' && statement.exportKind !== 'type') exports.set(nameOf(exported), nameOf(local));
      }
    } else if (statement.type === 'FunctionDeclaration' || statement.type === 'VariableDeclaration') {
      declare(statement, false);
    }
  }
  return { functions, exports };
}

function declaredBy(declaration: Declaration): readonly (readonly [string, FunctionNode | undefined])[] {
  if (declaration.type === 'FunctionDeclaration') {
    return declaration.id === null ? [] : [[declaration.id.name, declaration]];
  }
  if (declaration.type !== 'VariableDeclaration') return [];
  return declaration.declarations.flatMap(({ id, init }) =>
    id.type === 'Identifier' ? [[id.name, functionOf(init)] as const] : [],
  );
}

const nameOf = (name: ModuleExportName): string => (name.type === 'Literal' ? name.value : name.name);

/** The function that an expression is, if it is one. Types around it change nothing. */
function functionOf(expression: Expression | null | undefined): FunctionNode | undefined {
  if (expression === null || expression === undefined) return undefined;
  switch (expression.type) {
    case 'FunctionExpression':
    case 'ArrowFunctionExpression':
      return expression;
    case 'ParenthesizedExpression':
    case 'TSAsExpression':
    case 'TSSatisfiesExpression':
    case 'TSTypeAssertion':
    case 'TSNonNullExpression':
      return functionOf(expression.expression);
    default:
      return undefined;
  }
}
