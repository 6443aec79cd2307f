/**
 * Order of two strings by code point, which is how stores compare: JavaScript's own `<` compares UTF-16 units, and puts
 * characters beyond U+FFFF before some that come earlier.
 */
export function compareCodePoints(a: string, b: string): number {
  const length = Math.min(a.length, b.length);
  for (let index = 0; index < length; index += 1) {
    const left = a.charCodeAt(index);
    const right = b.charCodeAt(index);
    if (left !== right) return weight(left) - weight(right);
  }
  return a.length - b.length;
}

/** Orders surrogates after all other units, like the characters that they encode. */
function weight(unit: number): number {
  return unit >= 0xd800 && unit <= 0xdfff ? unit + 0x10000 : unit;
}
