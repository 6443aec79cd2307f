import { hasCodePoint, type Pattern } from './pattern.ts';

/** Longer texts are taken not to match: the time grows with the square of the length where repetitions are nested. */
const MAX_LENGTH = 1_000;

/**
 * Whether a pattern is found in a text. Follows all ways through the pattern at once, so that no pattern takes
 * exponential time, as it can in a `RegExp`.
 */
export function matchesPattern(pattern: Pattern, text: string): boolean {
  const codePoints = Array.from(text, (character) => character.codePointAt(0) as number);
  if (codePoints.length > MAX_LENGTH) return false;
  const everywhere = new Set(Array.from({ length: codePoints.length + 1 }, (_, index) => index));
  return endsOf(pattern, codePoints, everywhere).size > 0;
}

/** Where a match of the pattern can end that begins at one of the starts. */
function endsOf(pattern: Pattern, text: readonly number[], starts: ReadonlySet<number>): ReadonlySet<number> {
  switch (pattern.kind) {
    case 'start':
      return new Set([...starts].filter((place) => place === 0));
    case 'end':
      return new Set([...starts].filter((place) => place === text.length));
    case 'set': {
      const matching = [...starts].filter((place) => {
        const codePoint = text[place];
        return codePoint !== undefined && hasCodePoint(pattern, codePoint);
      });
      return new Set(matching.map((place) => place + 1));
    }
    case 'sequence':
      return pattern.parts.reduce((places, part) => endsOf(part, text, places), starts);
    case 'choice':
      return new Set(pattern.options.flatMap((option) => [...endsOf(option, text, starts)]));
    case 'repeat':
      return repeatedEnds(pattern, text, starts);
  }
}

function repeatedEnds(
  { part, min, max }: Extract<Pattern, { kind: 'repeat' }>,
  text: readonly number[],
  starts: ReadonlySet<number>,
): ReadonlySet<number> {
  let places = starts;
  for (let count = 0; count < min && places.size > 0; count += 1) places = endsOf(part, text, places);
  const ends = new Set(places);
  for (let count = min; count < max; count += 1) {
    const before = ends.size;
    // Only places that are new can lead to others that are new.
    places = new Set([...endsOf(part, text, places)].filter((place) => !ends.has(place)));
    for (const place of places) ends.add(place);
    if (ends.size === before) break;
  }
  return ends;
}
