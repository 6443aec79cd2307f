import type { Schema } from '../../contracts/json-schema.ts';

/** What a model answers with where nobody has said what the output looks like. */
export const undeclaredOutput: Schema = {
  type: 'object',
  properties: { result: { type: 'string', description: 'The answer of the function, as a text.' } },
  required: ['result'],
};
