import type { WorkerCommand } from '../start-worker.ts';
import type { Output } from './output.ts';

/** `patchbay dev`, as it was typed. */
export interface DevelopmentCommand {
  readonly config: string | undefined;
  /** Folder with one subfolder per function. */
  readonly dir: string;
  /** Whether functions are tested when they were pushed. */
  readonly test: boolean;
}

/** The environment of a command; tests pass their own. */
export interface CliContext {
  readonly cwd: string;
  readonly env: NodeJS.ProcessEnv;
  /** How the command line is called from this terminal, for hints that can be pasted. */
  readonly command: string;
  readonly output: Output;
  /** Text on standard output as it is, without a line end. */
  readonly write: (text: string) => void;
  /** All of standard input. */
  readonly readInput: () => Promise<string>;
  /** Whether a person is there to answer: standard input and error are terminals. */
  readonly isInteractive: boolean;
  /** Aborts on Ctrl-C. */
  readonly signal: AbortSignal;
  /** Start what goes on after the command has returned. */
  readonly serve: (
    config: string | undefined,
    env: NodeJS.ProcessEnv,
    options: { readonly json: boolean },
  ) => Promise<void>;
  readonly work: (command: WorkerCommand & { readonly json: boolean }) => Promise<void>;
  readonly develop: (command: DevelopmentCommand & { readonly json: boolean }, env: NodeJS.ProcessEnv) => Promise<void>;
}

/** A command that was understood. Its exit code. */
export type Action<Options> = (context: CliContext, options: Options) => Promise<number>;
