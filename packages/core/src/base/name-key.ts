const word = /[\p{L}\p{N}]+/gu;

/**
 * The name of a function as an identifier: `Summarize Text` is `summarizeText`. Empty where a name has no letters and
 * no digits.
 */
export function nameKey(name: string): string {
  const [first = '', ...others] = name.match(word) ?? [];
  return [first.charAt(0).toLowerCase() + first.slice(1), ...others.map(capitalized)].join('');
}

const capitalized = (text: string): string => text.charAt(0).toUpperCase() + text.slice(1);
