import type { Random } from '../driver/random.ts';

/** Values that no field expects, and texts with a meaning for some layer in between. */
export const oddValues: readonly unknown[] = [
  null,
  true,
  0,
  -1,
  1.5,
  1e308,
  Number.MAX_SAFE_INTEGER + 1,
  '',
  ' ',
  '\u0000',
  '\ud800',
  '\u202e\u0007',
  '😀'.repeat(300),
  'x'.repeat(70_000),
  "'; DROP TABLE functions; --",
  '" OR ""="',
  '{{7*7}}#{7*7}<%= 7 %>',
  '../../../../etc/passwd',
  '%00%0d%0aSet-Cookie: a=b',
  '__proto__',
  'constructor',
  'toString',
  '(a+)+$',
  'NaN',
  [],
  {},
  [[[[[[[[]]]]]]]],
  { $ne: null },
  { $ref: '#' },
  { __proto__: null, toJSON: 1 },
  Array.from({ length: 2_000 }, () => 0),
  Object.fromEntries(Array.from({ length: 500 }, (_, index) => [`k${index}`, index])),
];

/** A copy of a JSON value with one thing about it changed, anywhere in it. */
export function mutateValue(value: unknown, random: Random): unknown {
  const children = typeof value === 'object' && value !== null ? Object.keys(value) : [];
  if (children.length === 0 || random.below(4) === 0) return changeHere(value, random);
  const name = random.pick(children);
  const copy = structuredClone(value) as Record<string, unknown>;
  switch (random.below(8)) {
    case 0:
      delete copy[name];
      break;
    case 1:
      define(
        copy,
        random.pick(['__proto__', 'constructor', `${name}s`, name.toUpperCase(), 'id', '$ref', '']),
        copy[name],
      );
      break;
    default:
      copy[name] = mutateValue(copy[name], random);
  }
  return copy;
}

function changeHere(value: unknown, random: Random): unknown {
  switch (random.below(4)) {
    case 0:
      return [value];
    case 1:
      return { value };
    case 2:
      return typeof value === 'string' ? value.slice(0, random.below(value.length + 1)) : String(value);
    default:
      return random.pick(oddValues);
  }
}

/** As an own property, even if the name is `__proto__`. */
function define(target: object, name: string, value: unknown): void {
  Object.defineProperty(target, name, { value, enumerable: true, configurable: true, writable: true });
}
