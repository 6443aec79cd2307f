import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import ts from 'typescript-5';

/** A name that a package gives to others. */
export interface PublicName {
  readonly name: string;
  /** `function`, `value` or `type`: what a stranger can do with it. */
  readonly kind: 'function' | 'value' | 'type';
  readonly documentation: string;
  readonly hasExample: boolean;
  /** Path of the declaration from the root. */
  readonly file: string;
}

export interface Surface {
  /** As it is imported: `@patchbay/core/plugin`. */
  readonly entry: string;
  readonly names: readonly PublicName[];
}

interface Manifest {
  readonly name: string;
  readonly exports: Readonly<Record<string, { readonly source?: string }>>;
  /** Entries that only the tests of this repository import are missing here. */
  readonly publishConfig: { readonly exports: Readonly<Record<string, unknown>> };
}

/** The exports of packages, entry by entry, read from their sources. */
export function readSurfaces(root: string, packages: readonly string[]): readonly Surface[] {
  const entries = packages.flatMap((folder) => {
    const { name, exports, publishConfig } = JSON.parse(
      readFileSync(join(root, folder, 'package.json'), 'utf8'),
    ) as Manifest;
    return Object.entries(exports).flatMap(([path, { source }]) =>
      source === undefined || !(path in publishConfig.exports)
        ? []
        : [{ entry: name + path.slice(1), file: join(root, folder, source) }],
    );
  });
  const options: ts.CompilerOptions = {
    target: ts.ScriptTarget.ES2023,
    module: ts.ModuleKind.NodeNext,
    moduleResolution: ts.ModuleResolutionKind.NodeNext,
    customConditions: ['source'],
    allowImportingTsExtensions: true,
    strict: true,
    noEmit: true,
    noLib: true,
    types: [],
  };
  const program = ts.createProgram(
    entries.map(({ file }) => file),
    options,
    ownSourcesOnly(options),
  );
  const checker = program.getTypeChecker();
  return entries.map(({ entry, file }) => {
    const source = program.getSourceFile(file);
    const module = source && checker.getSymbolAtLocation(source);
    if (!module) throw new Error(`${file} exports nothing`);
    const typeOnly = typeOnlyNames(source, checker);
    const names = checker.getExportsOfModule(module).map((symbol) => describe(symbol, checker, root, typeOnly));
    return { entry, names: names.sort((one, two) => (one.name < two.name ? -1 : 1)) };
  });
}

/** Reads no package of others: what they declare is never a public name here, and is ten times as much to parse. */
function ownSourcesOnly(options: ts.CompilerOptions): ts.CompilerHost {
  const host = ts.createCompilerHost(options);
  const canonical = (name: string): string => host.getCanonicalFileName(name);
  const cache = ts.createModuleResolutionCache(host.getCurrentDirectory(), canonical, options);
  host.resolveModuleNameLiterals = (names, containingFile, redirected, _options, importer) =>
    names.map((name) => {
      if (!/^(\.|@patchbay\/)/.test(name.text)) return { resolvedModule: undefined };
      const mode = ts.getModeForUsageLocation(importer, name, options);
      return ts.resolveModuleName(name.text, containingFile, options, host, cache, redirected, mode);
    });
  return host;
}

/** An export of `export type * from`: no value, whatever it is where it was declared. */
function typeOnlyNames(source: ts.SourceFile, checker: ts.TypeChecker): ReadonlySet<string> {
  const stars = source.statements
    .filter(ts.isExportDeclaration)
    .filter((each) => each.isTypeOnly && !each.exportClause);
  const modules = stars.map(({ moduleSpecifier }) => moduleSpecifier && checker.getSymbolAtLocation(moduleSpecifier));
  return new Set(modules.flatMap((each) => (each ? checker.getExportsOfModule(each).map(({ name }) => name) : [])));
}

function describe(
  symbol: ts.Symbol,
  checker: ts.TypeChecker,
  root: string,
  typeOnlyNames: ReadonlySet<string>,
): PublicName {
  const isAlias = (symbol.flags & ts.SymbolFlags.Alias) !== 0;
  const target = isAlias ? checker.getAliasedSymbol(symbol) : symbol;
  const [declaration] = target.declarations ?? [];
  const typeOnly =
    typeOnlyNames.has(symbol.name) ||
    (target.flags & ts.SymbolFlags.Value) === 0 ||
    (symbol.declarations?.some((each) => ts.isExportSpecifier(each) && ts.isTypeOnlyExportDeclaration(each)) ?? false);
  const calls =
    declaration && !typeOnly ? checker.getTypeOfSymbolAtLocation(target, declaration).getCallSignatures() : [];
  return {
    name: symbol.name,
    kind: typeOnly ? 'type' : calls.length > 0 ? 'function' : 'value',
    documentation: ts.displayPartsToString(target.getDocumentationComment(checker)),
    hasExample: target.getJsDocTags(checker).some(({ name }) => name === 'example'),
    file: declaration?.getSourceFile().fileName.slice(root.length) ?? '',
  };
}
