import { readFile } from 'node:fs/promises';
import { resolve } from 'node:path';
import type { CliContext } from './cli-context.ts';
import { UsageError } from './usage-error.ts';

/** A text of the command line: as it is, `@file`, or `-` for standard input. */
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
  throw new UsageError('the input has to be a JSON object, such as {"text":"Hello"}');
}
