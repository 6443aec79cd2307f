/** Characters that JSON does not escape. */
const plain = /^[ !#-[\]-\uD7FF\uE000-\uFFFF]*$/;

/**
 * Each string as JSON, with a prefix and a suffix. Strings without anything to escape are joined unchanged, all at once.
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
