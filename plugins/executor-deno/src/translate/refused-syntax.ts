import { isBuiltin } from 'node:module';
import type { ImportDeclaration, Node, Program } from 'oxc-parser';
import { builtInOf, builtIns } from './built-ins.ts';
import { type Fault, MAX_FAULTS, type Place } from './fault.ts';
import { nodesOf } from './parse-source.ts';

/** Names of packages that may be imported. `any`: every package, and the built-ins that functions may use. */
export type ImportablePackages = readonly string[] | 'any';

interface Refusal {
  readonly code: string;
  readonly detail: string;
}

const importRefused: Refusal = {
  code: 'import_not_allowed',
  detail: 'Packages can be imported by a plain import at the top level only',
};

const unsupported = (what: string): Refusal => ({
  code: 'unsupported_syntax',
  detail: `${what} cannot be used in a function`,
});

/** Errors in syntax that parses but cannot be part of a function. */
export function refusedSyntax(
  program: Program,
  packages: ImportablePackages,
  placeOf: (offset: number) => Place,
): readonly Fault[] {
  const found: { readonly start: number; readonly refusal: Refusal }[] = [];
  for (const node of nodesOf(program)) {
    const refusal = refusalOf(node, packages);
    if (refusal !== undefined) found.push({ start: node.start, refusal });
  }
  return found
    .toSorted((a, b) => a.start - b.start)
    .slice(0, MAX_FAULTS)
    .map(({ start, refusal }) => ({ ...refusal, ...placeOf(start) }));
}

function refusalOf(node: Node, packages: ImportablePackages): Refusal | undefined {
  switch (node.type) {
    case 'ImportDeclaration': {
      const detail = importFault(node, packages);
      return detail === undefined ? undefined : { ...importRefused, detail };
    }
    case 'ImportExpression':
    case 'ExportAllDeclaration':
    case 'TSImportType':
      return importRefused;
    case 'ExportNamedDeclaration':
      return node.source === null ? undefined : importRefused;
    case 'TSImportEqualsDeclaration':
      return node.moduleReference.type === 'TSExternalModuleReference' ? importRefused : undefined;
    case 'TSExportAssignment':
      return unsupported('"export ="');
    case 'Decorator':
      return unsupported('A decorator');
    case 'AccessorProperty':
    case 'TSAbstractAccessorProperty':
      return unsupported('An accessor field');
    case 'Literal':
      return 'regex' in node ? regexRefusal(node.regex) : undefined;
    default:
      return undefined;
  }
}

/** The parser accepts any pattern; the engine would refuse the whole module for an invalid one. */
function regexRefusal({ pattern, flags }: { readonly pattern: string; readonly flags: string }): Refusal | undefined {
  try {
    new RegExp(pattern, flags);
    return undefined;
  } catch (error) {
    return { code: 'syntax', detail: error instanceof Error ? error.message : 'Invalid regular expression' };
  }
}

/** Why a function may not have this import; undefined where it may. */
function importFault(declaration: ImportDeclaration, packages: ImportablePackages): string | undefined {
  const { source, attributes, phase } = declaration;
  if (attributes.length > 0 || phase !== null) return 'Only plain imports of packages are possible';
  const { value: specifier } = source;
  const name = packageNameOf(specifier);
  if (packages === 'any') return bundledImportFault(specifier, name);
  if (name !== undefined && packages.includes(name)) return undefined;
  if (packages.length === 0) return 'A function is one file: it cannot import anything without a bundle';
  if (specifier.startsWith('node:') || isBuiltin(specifier))
    return `"${specifier}" is a part of Node.js, which functions do not have`;
  if (name === undefined) return `"${specifier}" is no package: files and URLs cannot be imported`;
  return `The package "${name}" cannot be imported; those that can are ${packages.join(', ')}`;
}

/** The same for code that has a bundle: the import of a package is in it. */
function bundledImportFault(specifier: string, name: string | undefined): string | undefined {
  if (builtInOf(specifier) !== undefined) return undefined;
  if (specifier.startsWith('node:') || isBuiltin(specifier)) {
    return `"${specifier}" cannot be imported: of Node.js, functions have ${builtIns.join(', ')}`;
  }
  return name === undefined ? `"${specifier}" is no package: files and URLs cannot be imported` : undefined;
}

/** The package that a specifier means: `date-fns` of `date-fns/format`. Undefined for a path, a URL or `node:fs`. */
export function packageNameOf(specifier: string): string | undefined {
  return /^(?:@[\w~-][\w.~-]*\/)?[\w~-][\w.~-]*(?=$|\/)/u.exec(specifier)?.[0];
}
