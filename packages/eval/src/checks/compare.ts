import { isDeepStrictEqual } from 'node:util';
import { type Check, vote } from '../eval-case.ts';
import { outputCheck } from './output-check.ts';

/** The output must be this value. The order of members of objects does not matter. */
export function equals(expected: unknown): Check {
  return outputCheck('output', JSON.stringify(expected), (output) => vote(isDeepStrictEqual(output, expected)));
}

/** The output has what a pattern has: all members of objects, and lists of the same length. */
export function contains(pattern: unknown): Check {
  return outputCheck('contains', `at least ${JSON.stringify(pattern)}`, (output) => vote(hasAll(output, pattern)));
}

/** The function fails with this code. */
export function failsWith(code: string): Check {
  const grade: Check['grade'] = async ({ error }) => vote(error?.code === code);
  return { name: 'error', expectation: `the error ${code}`, grade };
}

function hasAll(value: unknown, pattern: unknown): boolean {
  if (typeof pattern !== 'object' || pattern === null) return value === pattern;
  if (typeof value !== 'object' || value === null || Array.isArray(value) !== Array.isArray(pattern)) return false;
  if (Array.isArray(pattern) && pattern.length !== (value as readonly unknown[]).length) return false;
  return Object.entries(pattern).every(
    ([name, member]) => Object.hasOwn(value, name) && hasAll((value as Record<string, unknown>)[name], member),
  );
}
