/** The test files that take longest, longest first, from the JSON report of a whole run. */
export const longFiles: readonly string[] = [
  'packages/e2e/src/reload/reload-faults.test.ts',
];
