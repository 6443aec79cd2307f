/** Something that is wrong with a source text, and where: line and column count from 1, in UTF-16 units. */
export interface Fault {
  /** JSON Pointer to the faulty text. Default: the code. */
  readonly pointer?: string;
  readonly code: string;
  readonly detail: string;
  readonly line?: number;
  readonly column?: number;
}

export interface Place {
  readonly line: number;
  readonly column: number;
}

export const MAX_FAULTS = 20;

/** Errors of the parser or the translator. */
export function syntaxFaults(
  errors: readonly { readonly message: string; readonly labels: readonly { readonly start: number }[] }[],
  placeOf: (offset: number) => Place,
): readonly Fault[] {
  return errors.slice(0, MAX_FAULTS).map(({ message, labels: [label] }) => ({
    code: 'syntax',
    detail: message,
    ...(label && placeOf(label.start)),
  }));
}

/** Turns offsets into lines and columns. Lines end where the language says that they do, as the engine counts them. */
export function placesOf(text: string): (offset: number) => Place {
  const starts = [0];
  for (const match of text.matchAll(/\r\n|[\n\r\u2028\u2029]/gu)) starts.push(match.index + match[0].length);
  return (offset) => {
    let low = 0;
    let high = starts.length - 1;
    while (low < high) {
      const middle = Math.ceil((low + high) / 2);
      if ((starts[middle] ?? 0) <= offset) low = middle;
      else high = middle - 1;
    }
    return { line: low + 1, column: offset - (starts[low] ?? 0) + 1 };
  };
}
