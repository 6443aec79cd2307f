import { isDeepStrictEqual } from 'node:util';
import { type Check, vote } from '../eval-case.ts';

/** The output must be this value. The order of members of objects does not matter. */
export function equals(expected: unknown): Check {
  return {
    name: 'output',
    grade: async ({ output, error }) => vote(error === undefined && isDeepStrictEqual(output, expected)),
  };
}
