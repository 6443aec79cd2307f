import { type EcmaScriptModule, parseSync } from 'oxc-parser';
import { builtIns as allowed } from '../translate/built-ins.ts';
import { type Fault, MAX_FAULTS, placesOf, syntaxFaults } from '../translate/fault.ts';
import { ownMappings } from './own-mappings.ts';

/** A bundle that a caller made. */
export interface GivenBundleQuestion {
  readonly module: string;
  readonly mappings: string;
  /** The source in the mappings that is the code. */
  readonly source: number;
}

export type GivenBundleAnswer =
  | {
      readonly kind: 'admitted';
      /** The ones that lead to the code. */
      readonly mappings: string;
      readonly builtIns: readonly string[];
    }
  | { readonly kind: 'faults'; readonly faults: readonly Fault[] };

const MODULE = '/bundle/module';

/**
 * Check that a bundle is a module with a default export which loads nothing but built-ins. Code can hide an import from
 * this; what it then loads is up to the sandbox, as without a bundle.
 */
export function checkGivenBundle({ module: text, mappings, source }: GivenBundleQuestion): GivenBundleAnswer {
  // The syntax tree, which would have many times the size of the text, is not requested.
  const { errors, module } = parseSync('function.js', text, {
    lang: 'js',
    sourceType: 'module',
    showSemanticErrors: true,
  });
  const placeOf = placesOf(text);
  const fatal = errors.filter(({ severity }) => severity === 'Error');
  if (fatal.length > 0) return refused(syntaxFaults(fatal, placeOf).map((fault) => ({ pointer: MODULE, ...fault })));
  const loaded = loadedModules(text, module);
  const faults = loaded.flatMap(({ start, specifier }) => {
    const detail = importFault(specifier);
    return detail === undefined ? [] : [{ pointer: MODULE, code: 'import_not_allowed', detail, ...placeOf(start) }];
  });
  if (faults.length > 0) return refused(faults);
  if (!module.staticExports.some(({ entries }) => entries.some(({ exportName }) => isDefault(exportName)))) {
    return refused([{ pointer: MODULE, code: 'no_function', detail: 'The module has no default export' }]);
  }
  const own = ownMappings(mappings, { source });
  if (own === undefined) {
    const detail = 'The mappings are not those of a source map, version 3';
    return refused([{ pointer: '/bundle/sourceMap/mappings', code: 'syntax', detail }]);
  }
  const builtIns = [...new Set(loaded.flatMap(({ specifier }) => specifier ?? []))];
  return { kind: 'admitted', mappings: own, builtIns };
}

const refused = (faults: readonly Fault[]): GivenBundleAnswer => ({
  kind: 'faults',
  faults: faults.slice(0, MAX_FAULTS),
});

interface LoadedModule {
  readonly start: number;
  /** Undefined where it is computed. */
  readonly specifier: string | undefined;
}

function loadedModules(
  text: string,
  { staticImports, staticExports, dynamicImports }: EcmaScriptModule,
): readonly LoadedModule[] {
  const named = [...staticImports, ...staticExports.flatMap(({ entries }) => entries)].flatMap(
    ({ moduleRequest }) => moduleRequest ?? [],
  );
  return [
    ...named.map(({ start, value }) => ({ start, specifier: value })),
    ...dynamicImports.map(({ moduleRequest: { start, end } }) => ({
      start,
      specifier: literalOf(text.slice(start, end)),
    })),
  ];
}

const isDefault = ({ kind, name }: { readonly kind: string; readonly name: string | null }): boolean =>
  kind === 'Default' || name === 'default';

/** The text of a plain string literal. */
const literalOf = (syntax: string): string | undefined => /^(['"])([\w:/@.-]*)\1$/.exec(syntax)?.[2];

function importFault(specifier: string | undefined): string | undefined {
  if (specifier === undefined)
    return 'A specifier that is computed cannot be imported: it would be resolved at run time';
  if (allowed.includes(specifier)) return undefined;
  return `${JSON.stringify(specifier.slice(0, 200))} cannot be imported; the modules that can are ${allowed.join(', ')}`;
}
