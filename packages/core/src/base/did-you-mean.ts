import { closest, distance } from 'fastest-levenshtein';

/** `; did you mean "storage"?` where a known name is near enough to be what was meant, else nothing. */
export function didYouMean(given: string, known: readonly string[]): string {
  if (known.length === 0) return '';
  const lower = given.toLowerCase();
  const best = closest(
    lower,
    known.map((name) => name.toLowerCase()),
  );
  const name = known.find((candidate) => candidate.toLowerCase() === best);
  // Two for a pair of letters that changed places, which counts as two changes.
  const near = distance(lower, best) <= Math.min(3, Math.floor(Math.min(given.length, best.length) / 2));
  return near && name !== undefined && name !== given ? `; did you mean "${name}"?` : '';
}
