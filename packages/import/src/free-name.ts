/** A name that is not taken: with a number appended if needed. */
export function freeName(stem: string, taken: ReadonlySet<string>): string {
  let name = stem;
  for (let number = 2; taken.has(name); number += 1) name = `${stem}-${number}`;
  return name;
}
