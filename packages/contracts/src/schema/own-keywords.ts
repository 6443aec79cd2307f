import { _, type CodeKeywordDefinition, type FuncKeywordDefinition, str } from 'ajv';

/** The sum of the roundings of both numbers and of their quotient, relative to the quotient. */
const ROUNDING = 2 * Number.EPSILON;

/**
 * `multipleOf` as it is meant for decimals: 19.99 is a multiple of 0.01, although the quotient of the two doubles is
 * 1998.9999999999998. The compiler's own keyword takes the quotient at its word, or has one tolerance for all sizes.
 */
export const decimalMultipleOf: CodeKeywordDefinition = {
  keyword: 'multipleOf',
  type: 'number',
  schemaType: 'number',
  error: {
    message: ({ schemaCode }) => str`must be a multiple of ${schemaCode}`,
    params: ({ schemaCode }) => _`{multipleOf: ${schemaCode}}`,
  },
  code(context) {
    const { gen, data, schemaCode } = context;
    const quotient = gen.const('quotient', _`${data} / ${schemaCode}`);
    context.fail(_`Math.abs(Math.round(${quotient}) - ${quotient}) > Math.abs(${quotient}) * ${ROUNDING}`);
  },
};

/** `uniqueItems` in time linear in the list: the compiler's own keyword compares each item with every other. */
export const linearUniqueItems: FuncKeywordDefinition = {
  keyword: 'uniqueItems',
  type: 'array',
  schemaType: 'boolean',
  error: { message: 'must not have two equal items' },
  compile: (isAsked: boolean) => (items: readonly unknown[]) =>
    !isAsked || new Set(items.map(sortedText)).size === items.length,
};

/** The JSON text of a value, the same for equal values. */
function sortedText(value: unknown): string {
  if (typeof value !== 'object' || value === null) return JSON.stringify(value);
  if (Array.isArray(value)) return `[${value.map(sortedText).join(',')}]`;
  const members = Object.entries(value).toSorted(([one], [other]) => (one < other ? -1 : 1));
  return `{${members.map(([name, each]) => `${JSON.stringify(name)}:${sortedText(each)}`).join(',')}}`;
}
