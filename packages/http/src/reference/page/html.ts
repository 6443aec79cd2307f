/** HTML that is safe to put into a page. */
export interface Html {
  readonly html: string;
}

const entities: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
};

type Part = string | number | Html | readonly Html[] | undefined;

/** A template for HTML: every string that is filled in is escaped, unless it was made by this function. */
export function html(strings: TemplateStringsArray, ...parts: readonly Part[]): Html {
  const filled = parts.map((part, index) => render(part) + (strings[index + 1] ?? ''));
  return { html: (strings[0] ?? '') + filled.join('') };
}

function render(part: Part): string {
  if (part === undefined) return '';
  if (typeof part === 'object') return 'html' in part ? part.html : part.map((item) => item.html).join('');
  return String(part).replaceAll(/[&<>"']/g, (character) => entities[character] ?? character);
}

/** A sentence in which words between backticks become code. */
export function prose(sentence: string): readonly Html[] {
  return sentence.split('`').map((part, index) => (index % 2 === 1 ? html`<code>${part}</code>` : html`${part}`));
}
