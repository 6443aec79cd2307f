/** Response headers that callers receive: none that reveals anything about the operator's account. */
const names = [
  'content-type',
  'retry-after',
  'retry-after-ms',
  'x-should-retry',
  'openai-model',
  'openai-processing-ms',
  'openai-version',
] as const;

/** These headers of a response, by lower-case name. */
export function forwardedHeaders(read: (name: string) => string | null | undefined): Record<string, string> {
  const headers: Record<string, string> = {};
  for (const name of names) {
    const value = read(name);
    if (value !== null && value !== undefined) headers[name] = value;
  }
  return headers;
}
