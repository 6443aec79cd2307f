import type { Readable, Writable } from 'node:stream';

/** Where a prompt is shown, and what ends it. */
export interface PromptPlace {
  readonly output: Writable;
  readonly signal: AbortSignal;
}

/**
 * Ask a person at the terminal. Undefined where they end the prompt, with Ctrl-C, Ctrl-D or Escape, or where the
 * terminal is closed.
 */
export async function prompted<T>(
  show: (prompts: typeof import('@clack/prompts'), place: PromptPlace) => Promise<T>,
  input: Readable = process.stdin,
): Promise<Exclude<T, symbol> | undefined> {
  const prompts = await import('@clack/prompts');
  const ended = new AbortController();
  const end = (): void => ended.abort();
  // The library leaves a prompt open when readline closes, and the process would end in the middle of it.
  const watch = (_: unknown, key: { readonly ctrl?: boolean; readonly name?: string } | undefined): void => {
    if (key?.ctrl && key.name === 'd') end();
  };
  input.on('keypress', watch).once('end', end);
  try {
    const given = await show(prompts, { output: process.stderr, signal: ended.signal });
    return prompts.isCancel(given) ? undefined : (given as Exclude<T, symbol>);
  } finally {
    input.off('keypress', watch).off('end', end);
  }
}
