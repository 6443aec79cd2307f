/** The camelCase key of a name: `Summarize Text` is `summarizeText`. */
export function keyOf(name: string): string {
  return name
    .replace(/[^\p{L}\p{N}]+(.)?/gu, (_, next: string | undefined) => next?.toUpperCase() ?? '')
    .replace(/^./u, (first) => first.toLowerCase());
}
