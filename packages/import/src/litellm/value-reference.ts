const PREFIX = 'os.environ/';

/** A value of LiteLLM as one of a config: `os.environ/NAME` refers to an environment variable, and `$` is literal. */
export function referenceTo(value: string): string {
  return value.startsWith(PREFIX) ? `\${${value.slice(PREFIX.length)}}` : value.replaceAll('${', '$${');
}

export function isReference(value: string): boolean {
  return value.startsWith(PREFIX);
}
