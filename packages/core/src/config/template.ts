// biome-ignore-all lint/suspicious/noTemplateCurlyInString: the messages are about just that
import { didYouMean } from '../base/names.ts';

/** What `${...}` in a text stands for. */
export type Reference =
  | { readonly kind: 'env'; readonly name: string; readonly fallback?: string }
  | { readonly kind: 'file' | 'secret'; readonly name: string };

/** A text in pieces. */
export type Template = readonly (string | Reference)[];

/** Take a text apart at its `${...}`; the message of what is wrong where that cannot be done. `$${` is a plain `${`. */
export function parseTemplate(text: string): Template | { readonly fault: string } {
  const pieces: (string | Reference)[] = [];
  let rest = text;
  for (;;) {
    const start = rest.indexOf('${');
    if (start < 0) return [...pieces, rest].filter((piece) => piece !== '');
    if (rest[start - 1] === '$') {
      pieces.push(`${rest.slice(0, start - 1)}\${`);
      rest = rest.slice(start + 2);
      continue;
    }
    const end = rest.indexOf('}', start);
    if (end < 0) return { fault: 'has a "${" without its "}"; a plain "${" is written "$${"' };
    const reference = parseReference(rest.slice(start + 2, end));
    if ('fault' in reference) return reference;
    pieces.push(rest.slice(0, start), reference);
    rest = rest.slice(end + 1);
  }
}

function parseReference(inner: string): Reference | { readonly fault: string } {
  const [, name, , fallback] = /^([A-Za-z_]\w*)(:-(.*))?$/s.exec(inner) ?? [];
  if (name !== undefined) return { kind: 'env', name, ...(fallback !== undefined && { fallback }) };
  const [, kind, argument] = /^(\w+):([^-].*)$/s.exec(inner) ?? [];
  if (kind === 'file' || kind === 'secret') return { kind, name: argument ?? '' };
  const hint = kind === undefined ? '' : didYouMean(kind, ['file', 'secret']);
  return {
    fault: `has a "\${...}" that is none of \${NAME}, \${NAME:-default}, \${file:path} and \${secret:name}${hint}`,
  };
}
