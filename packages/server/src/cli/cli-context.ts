import type { ConfigReloader } from '../config-reloader.ts';
import type { Stoppable } from '../signals.ts';
import type { StartOptions } from '../start.ts';
import type { Output } from './output.ts';

/** Starts work that continues after its command has returned. */
export type Begin = (
  parts: Required<Pick<StartOptions, 'logger' | 'show' | 'signal'>>,
) => Promise<Stoppable & ConfigReloader>;

/** The environment of a command; tests pass their own. */
export interface CliContext {
  readonly cwd: string;
  readonly env: NodeJS.ProcessEnv;
  /** How the command line is called from this terminal, for hints that can be pasted. */
  readonly command: string;
  readonly output: Output;
  /** Text on standard output as is, without a line end. */
  readonly write: (text: string) => void;
  /** All of standard input. */
  readonly readInput: () => Promise<string>;
  /** Standard input, line by line, as it arrives. */
  readonly readLines: () => AsyncIterable<string>;
  /** Whether a person is there to answer: standard input and error are terminals. */
  readonly isInteractive: boolean;
  /** Aborts on Ctrl-C. */
  readonly signal: AbortSignal;
  /** From now on, the first Ctrl-C aborts this instead of ending the process. */
  readonly interruption: () => AbortSignal;
  /** Show the progress of the work, in place of what was shown before. For terminals only. */
  readonly showProgress: (text: string) => void;
  /** Start something that a signal ends. Its log is JSON, unless `format` makes something else of its lines. */
  readonly goOn: (begin: Begin, format: ((line: string) => string) | undefined) => Promise<void>;
}

/** A parsed command, with the values of its arguments. Its exit code, or nothing if that is 0. */
export type Action<Options, Given extends readonly unknown[] = []> = (
  context: CliContext,
  options: Options,
  ...given: Given
) => Promise<number | undefined>;
