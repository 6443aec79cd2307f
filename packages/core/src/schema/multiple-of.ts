import { _, type CodeKeywordDefinition, str } from 'ajv';

/** What the roundings of both numbers and of their quotient add up to, in relation to the quotient. */
const ROUNDING = 2 * Number.EPSILON;

/**
 * `multipleOf` as it is meant of decimals: 19.99 is a multiple of 0.01, although the quotient of the two doubles is
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
