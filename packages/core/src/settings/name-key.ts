const word = /[\p{L}\p{N}]+/gu;

/**
 * The name of a function as an identifier: `Summarize Text` is `summarizeText`. Empty where a name has no letters and
 * no digits.
 */
export function nameKey(name: string): string {
  const [first = '', ...others] = name.match(word) ?? [];
  // A word of capitals only is an abbreviation: `URL check` is `urlCheck`.
  const start = first === first.toUpperCase() ? first.toLowerCase() : first.charAt(0).toLowerCase() + first.slice(1);
  return [start, ...others.map((each) => each.charAt(0).toUpperCase() + each.slice(1))].join('');
}
