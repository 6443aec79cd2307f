/** Text of a page, escaped where necessary. */
export interface Markup {
  readonly markup: string;
}

type Part = string | number | Markup | readonly Markup[] | undefined;

/** Markup with interpolated values: strings are escaped, in elements and in attributes with quotes. */
export function html(pieces: TemplateStringsArray, ...values: readonly Part[]): Markup {
  return { markup: pieces.reduce((text, piece, index) => `${text}${textOf(values[index - 1])}${piece}`) };
}

function textOf(part: Part): string {
  if (part === undefined) return '';
  if (typeof part === 'object') return 'markup' in part ? part.markup : part.map(({ markup }) => markup).join('');
  return String(part).replaceAll(/[&<>"']/g, (character) => `&#${character.charCodeAt(0)};`);
}
