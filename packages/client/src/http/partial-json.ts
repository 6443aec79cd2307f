/**
 * What there is of a JSON object or list that is still being written: texts may be cut, what comes last may be missing.
 * Undefined before it has begun.
 */
export function parsePartialJson(text: string): unknown {
  let closers = '';
  let inText = false;
  let at = 0;
  // Up to where everything is whole, and what would close it.
  let whole: readonly [string, string] = ['', ''];
  const mark = (end: number): void => {
    whole = [text.slice(0, end), closers];
  };
  for (; at < text.length; at += 1) {
    const character = text[at] as string;
    if (inText) {
      if (character === '\\') at += 1;
      else inText = character !== '"';
    } else if (character === '"') inText = true;
    else if (character === ',') mark(at);
    else if ('{[}]'.includes(character)) {
      if (character === '{') closers = `}${closers}`;
      else if (character === '[') closers = `]${closers}`;
      else closers = closers.slice(1);
      mark(at + 1);
    }
  }
  // A number or a literal is whole only when something follows it; an escape may be cut as well.
  const closed = inText ? `${text.slice(0, text.length * 2 - at).replace(/\\u[\da-f]{0,3}$/i, '')}"` : text;
  const isOpen = !inText && /[\w.+-]$/.test(text);
  return (isOpen ? undefined : parse(closed + closers)) ?? parse(whole.join(''));
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
