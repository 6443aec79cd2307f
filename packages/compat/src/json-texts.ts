/** Characters that JSON writes as they are. */
const plain = /^[ !#-[\]-\uD7FF\uE000-\uFFFF]*$/;

/**
 * Each text as JSON, with something before and behind it. Texts without anything to escape are joined as they are, all at once.
 *
 * @example
 * ```ts
 * import { jsonTexts } from '@patchbay/compat/json-texts';
 *
 * console.log(jsonTexts(['one', 'two'], '{"word":', '}\n')); // {"word":"one"}\n{"word":"two"}\n
 * ```
 */
export function jsonTexts(texts: readonly string[], before: string, behind: string): string {
  if (plain.test(texts.join(''))) return `${before}"${texts.join(`"${behind}${before}"`)}"${behind}`;
  return texts.map((text) => `${before}${JSON.stringify(text)}${behind}`).join('');
}
