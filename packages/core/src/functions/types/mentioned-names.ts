/** Everything in the text of code that can be a name: its words, and its string literals. */
export function mentionedNames(code: string): ReadonlySet<string> {
  const literals = [...code.matchAll(/"([^"\\\n]{1,255})"|'([^'\\\n]{1,255})'|`([^`\\$]{1,255})`/gu)];
  return new Set([
    ...(code.match(/[\p{L}\p{N}_$]+/gu) ?? []),
    ...literals.map(([, double, single, template]) => double ?? single ?? template ?? ''),
  ]);
}
