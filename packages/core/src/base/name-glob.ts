/** Whether a name fits a pattern in which `*` stands for any run of characters. */
export function fitsGlob(pattern: string, name: string): boolean {
  const [first = '', ...rest] = pattern.split('*');
  const last = rest.pop();
  if (last === undefined) return name === pattern;
  if (!name.startsWith(first)) return false;
  let place = first.length;
  // The leftmost match of each part leaves the most room for the others, so there is nothing to go back to.
  for (const part of rest) {
    const found = name.indexOf(part, place);
    if (found === -1) return false;
    place = found + part.length;
  }
  return name.length - last.length >= place && name.endsWith(last);
}
