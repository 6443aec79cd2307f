import type { Fault, Place } from './fault.ts';
import type { Language } from './parse-source.ts';

/** A source that can be run. */
export interface Translation {
  readonly kind: 'translation';
  readonly language: Language;
  /** JavaScript module whose default export is the function. */
  readonly module: string;
  readonly insertedLine?: number | undefined;
  readonly mappings?: string;
  /** The module before its types were removed, for a type check. Only where there are types. */
  readonly typed?: TypedModule;
  /** It needs packages, and cannot be run without them. */
  readonly hasImports: boolean;
}

/** A TypeScript module whose default export is the function, and where its author declared what it takes and returns. */
export interface TypedModule {
  readonly text: string;
  readonly parameter: Place;
  readonly result: Place;
}

export type TranslateAnswer = Translation | { readonly kind: 'faults'; readonly faults: readonly Fault[] };
