import { isBuiltin } from 'node:module';
import type { ImportDeclaration, Program } from 'oxc-parser';
import { packageNameOf } from './package-name.ts';

/** Why a function may not have this import; undefined where it may. */
export function importFault(declaration: ImportDeclaration, packages: readonly string[]): string | undefined {
  const { source, attributes, phase } = declaration;
  if (attributes.length > 0 || phase !== null) return 'Only plain imports of packages are possible';
  const { value: specifier } = source;
  const name = packageNameOf(specifier);
  if (name !== undefined && packages.includes(name)) return undefined;
  if (packages.length === 0) return 'A function is one file: it cannot import anything';
  if (specifier.startsWith('node:') || isBuiltin(specifier))
    return `"${specifier}" is a part of Node.js, which functions do not have`;
  if (name === undefined) return `"${specifier}" is no package: files and URLs cannot be imported`;
  return `The package "${name}" cannot be imported; those that can are ${packages.join(', ')}`;
}

/** Whether something of a package is left once the types are gone. */
export function hasImports(program: Program): boolean {
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
