/** A regular expression as a tree. Only what describes regular languages: no look-around, no back-references. */
export type Pattern =
  | { readonly kind: 'set'; readonly ranges: readonly Range[]; readonly negated: boolean }
  | { readonly kind: 'sequence'; readonly parts: readonly Pattern[] }
  | { readonly kind: 'choice'; readonly options: readonly Pattern[] }
  | { readonly kind: 'repeat'; readonly part: Pattern; readonly min: number; readonly max: number }
  | { readonly kind: 'start' }
  | { readonly kind: 'end' };

/** First and last code point. */
export type Range = readonly [number, number];

export function hasCodePoint({ ranges, negated }: Extract<Pattern, { kind: 'set' }>, codePoint: number): boolean {
  return ranges.some(([first, last]) => first <= codePoint && codePoint <= last) !== negated;
}
