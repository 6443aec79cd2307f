import { readFile } from 'node:fs/promises';
import { resolve } from 'node:path';
import type { Readable, Writable } from 'node:stream';
import type { CliContext } from './cli-context.ts';
import { UsageError } from './cli-failure.ts';

/** A string from the command line: as is, `@file`, or `-` for standard input. */
export async function readText(given: string, { cwd, readInput }: CliContext): Promise<string> {
  if (given === '-') return await readInput();
  if (!given.startsWith('@')) return given;
  const file = resolve(cwd, given.slice(1));
  return await readFile(file, 'utf8').catch((error: NodeJS.ErrnoException) => {
    throw new UsageError(`${given.slice(1)} cannot be read: ${error.code}`);
  });
}

/** The same for a JSON object. */
export async function readObject(given: string, context: CliContext): Promise<Readonly<Record<string, unknown>>> {
  const text = await readText(given, context);
  try {
    const value = JSON.parse(text) as unknown;
    if (typeof value === 'object' && value !== null && !Array.isArray(value)) return value as Record<string, unknown>;
  } catch (error) {
    throw new UsageError(`the input is not JSON: ${(error as Error).message}`);
  }
  throw new UsageError('the input must be a JSON object, such as {"text":"Hello"}');
}

/** Where a prompt is shown, and what ends it. */
interface PromptPlace {
  readonly output: Writable;
  readonly signal: AbortSignal;
}

/**
 * Ask a person at the terminal. Undefined if they end the prompt, with Ctrl-C, Ctrl-D or Escape, or if the
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

/**
 * Whether to do something irreversible: asked at a terminal, and confirmed with `--yes` elsewhere.
 *
 * @throws UsageError without a terminal for asking.
 */
export async function confirmed(
  { isInteractive, output }: CliContext,
  { yes = false, question, otherwise }: Confirmation,
): Promise<boolean> {
  if (yes) return true;
  if (!isInteractive) throw new UsageError(`${question} Confirm with --yes when there is no terminal`);
  if (await agreed(question)) return true;
  output.note(otherwise);
  return false;
}

interface Confirmation {
  readonly yes: boolean | undefined;
  readonly question: string;
  /** Printed if the answer is no. */
  readonly otherwise: string;
}

/** Ask a person for confirmation. */
export async function agreed(message: string): Promise<boolean> {
  return (await prompted(({ confirm }, place) => confirm({ message, initialValue: false, ...place }))) === true;
}
