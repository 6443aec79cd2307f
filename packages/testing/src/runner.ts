/**
 * The functions of a test runner that a conformance suite uses. It is passed in, so that the suites work with vitest,
 * `node:test` and anything else of this shape; assertions come from `node:assert`. What the functions return, such as the
 * promises of `node:test`, is ignored.
 */
export interface Runner {
  describe(name: string, body: () => void): unknown;
  it(name: string, body: () => Promise<void> | void): unknown;
}
