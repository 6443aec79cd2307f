/** What a failed execution, or one that completed, tells a person: an execution of the server, as it comes. */
export interface ToldExecution {
  readonly error?: unknown;
  readonly logs?: unknown;
}

/** Lines that the code has logged, with `console.log` or `context.log`. */
export function loggedLines({ logs }: ToldExecution): readonly { readonly level: string; readonly message: string }[] {
  return Array.isArray(logs) ? (logs as { level: string; message: string }[]) : [];
}

/**
 * The frames of the error, each on a line, innermost first. Empty where the code did not throw.
 *
 * @param codeFile What the file with the code is called here: the server calls it `function.ts`.
 */
export function stackLines({ error }: ToldExecution, codeFile: string | undefined): readonly string[] {
  const { stack } = Object(error) as { readonly stack?: unknown };
  if (typeof stack !== 'string') return [];
  const frames = stack.split('\n').filter((line) => /^\s*at /.test(line));
  const named = (frame: string) => frame.replaceAll(/\bfunction\.[jt]s(?=:\d)/g, (file) => codeFile ?? file);
  return frames.map((frame) => named(frame.trim()));
}

/** `file:line:column` of the innermost frame. */
export function placeOfThrow(execution: ToldExecution, codeFile: string | undefined): string | undefined {
  const [frame = ''] = stackLines(execution, codeFile);
  return /\(?([^\s()]+:\d+:\d+)\)?$/.exec(frame)?.[1];
}
