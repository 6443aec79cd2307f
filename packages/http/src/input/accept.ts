/**
 * Whether a client would rather have one media type than another (RFC 9110, section 12.5.1). Without a header, and where
 * both are as welcome, it would not.
 */
export function prefersType(header: string | undefined, type: string, other: string): boolean {
  if (header === undefined) return false;
  const ranges = header.split(',').map(readRange);
  return weight(ranges, type) > weight(ranges, other);
}

interface Range {
  readonly type: string;
  readonly weight: number;
}

function readRange(text: string): Range {
  const [type = '', ...parameters] = text.split(';').map((part) => part.trim().toLowerCase());
  const [, q] =
    parameters.map((parameter) => /^q=(0(?:\.\d{0,3})?|1(?:\.0{0,3})?)$/.exec(parameter)).find(Boolean) ?? [];
  return { type, weight: q === undefined ? 1 : Number(q) };
}

/** The weight of the most specific range that a type is in. */
function weight(ranges: readonly Range[], type: string): number {
  const [family = ''] = type.split('/');
  for (const wanted of [type, `${family}/*`, '*/*']) {
    const range = ranges.find((each) => each.type === wanted);
    if (range) return range.weight;
  }
  return 0;
}
