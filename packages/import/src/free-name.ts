/** A name that is not taken: with a number behind it where that is needed. */
export function freeName(stem: string, taken: ReadonlySet<string>): string {
  let name = stem;
  for (let number = 2; taken.has(name); number += 1) name = `${stem}-${number}`;
  return name;
}
