import type { Declaration, ModuleExportName, Program } from 'oxc-parser';
import { type FunctionNode, functionOf } from './function-node.ts';

/** The names at the top level of a module that may be its function. */
export interface TopLevel {
  /** Functions by their own name, in the order of the text. */
  readonly functions: ReadonlyMap<string, FunctionNode>;
  /** Own names by the name under which they are exported. */
  readonly exports: ReadonlyMap<string, string>;
}

export function topLevelOf(program: Program): TopLevel {
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
