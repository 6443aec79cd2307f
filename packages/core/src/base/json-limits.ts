/**
 * The bounds of every JSON document from outside: bodies of requests, calls of functions, outputs, responses of
 * providers. How many bytes a document may have differs from one place to another; these do not.
 */
export const jsonLimits = {
  /** Levels of arrays and objects. Deeper documents overflow the stack of recursive code. */
  depth: 64,
  /** Values, counting the root, every item and every member. */
  values: 100_000,
} as const;
