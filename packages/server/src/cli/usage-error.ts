/** The command line, or a file that it names, is not as it has to be. */
export class UsageError extends Error {
  override readonly name = 'UsageError';
}
