const DIGITS = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/';
const VALUES = new Map(Array.from(DIGITS, (digit, value) => [digit, value]));
const CONTINUED = 32;
const MAX_DIGITS = 7;

export interface OwnMappingsOptions {
  /** The source whose mappings are kept. In the result it is the only one. */
  readonly source: number;
  /** Line after which the lines of the source are one lower than they were written. */
  readonly insertedLine?: number | undefined;
}

/**
 * The part of the mappings of a source map that leads to one source. Mappings to other sources lead nowhere, so that a
 * position in a package is not shown as one of the author's.
 *
 * @returns Undefined if the text is not valid mappings.
 */
export function ownMappings(
  mappings: string,
  { source, insertedLine = Number.POSITIVE_INFINITY }: OwnMappingsOptions,
): string | undefined {
  let [ofSource, line, column] = [0, 0, 0];
  let [keptLine, keptColumn] = [0, 0];
  let isKept = false;
  const lines: string[] = [];
  for (const text of mappings.split(';')) {
    const segments: string[] = [];
    let [generated, keptGenerated] = [0, 0];
    for (const segment of text === '' ? [] : text.split(',')) {
      const fields = decode(segment);
      if (fields === undefined) return undefined;
      generated += fields[0] ?? 0;
      ofSource += fields[1] ?? 0;
      line += fields[2] ?? 0;
      column += fields[3] ?? 0;
      if (Math.min(generated, ofSource, line, column) < 0) return undefined;
      const isOwn = fields.length > 1 && ofSource === source;
      if (!isOwn && !isKept) continue;
      isKept = isOwn;
      // Lines count from 0 in mappings, and from 1 elsewhere.
      const written = line + 1 > insertedLine ? line - 1 : line;
      const place = isOwn ? [0, written - keptLine, column - keptColumn] : [];
      segments.push([generated - keptGenerated, ...place].map(encode).join(''));
      keptGenerated = generated;
      if (isOwn) [keptLine, keptColumn] = [written, column];
    }
    lines.push(segments.join(','));
  }
  const kept = lines.join(';').replace(/;+$/, '');
  // At the end, a segment without a source would be misread.
  return kept === '' ? '' : `${kept};`;
}

/** The one, four or five numbers of a segment. */
function decode(segment: string): readonly number[] | undefined {
  const fields: number[] = [];
  let [value, digits] = [0, 0];
  for (const character of segment) {
    const digit = VALUES.get(character);
    if (digit === undefined || digits === MAX_DIGITS) return undefined;
    value += (digit % CONTINUED) * CONTINUED ** digits;
    digits += 1;
    if (digit >= CONTINUED) continue;
    fields.push(value % 2 === 1 ? -(value - 1) / 2 : value / 2);
    [value, digits] = [0, 0];
  }
  return digits === 0 && [1, 4, 5].includes(fields.length) ? fields : undefined;
}

function encode(number: number): string {
  let rest = number < 0 ? -number * 2 + 1 : number * 2;
  let text = '';
  do {
    const digit = rest % CONTINUED;
    rest = Math.floor(rest / CONTINUED);
    text += DIGITS[rest > 0 ? digit + CONTINUED : digit] ?? '';
  } while (rest > 0);
  return text;
}
