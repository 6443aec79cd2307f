const plain = (name: string): string => name.toLowerCase().replaceAll(/[_\-. ]/g, '');

/** `; did you mean maxTokens?` where one of the known names is close to the given one, otherwise nothing. */
export function didYouMean(given: string, known: readonly string[]): string {
  if (given.length > 64) return '';
  const wanted = plain(given);
  const best = known
    .map((name) => ({ name, distance: editDistance(wanted, plain(name)) }))
    .reduce((least, next) => (next.distance < least.distance ? next : least), { name: '', distance: 64 });
  return best.distance <= Math.min(2, Math.floor(wanted.length / 3)) ? `; did you mean ${best.name}?` : '';
}

/** How many characters have to be put in, left out, exchanged or swapped with their neighbour. */
function editDistance(left: string, right: string): number {
  let beforePrevious: number[] = [];
  let previous = Array.from({ length: right.length + 1 }, (_, index) => index);
  for (let row = 1; row <= left.length; row += 1) {
    const current = [row];
    for (let column = 1; column <= right.length; column += 1) {
      const same = left[row - 1] === right[column - 1] ? 0 : 1;
      const exchanged = (previous[column - 1] ?? 0) + same;
      const areSwapped = left[row - 1] === right[column - 2] && left[row - 2] === right[column - 1];
      const swapped = areSwapped ? (beforePrevious[column - 2] ?? Number.POSITIVE_INFINITY) + 1 : exchanged;
      current.push(Math.min((previous[column] ?? 0) + 1, (current[column - 1] ?? 0) + 1, exchanged, swapped));
    }
    beforePrevious = previous;
    previous = current;
  }
  return previous[right.length] ?? 0;
}
