import type { ExecutionFailure } from '@patchbay/core/plugin';
import type { Exit } from '../launch/child-process.ts';

/** Why a run is over, before it is cleaned up after. */
export type Ending =
  | {
      readonly kind: 'output';
      readonly output: string;
      /** The code has written nothing, so that there are no logs to wait for. */
      readonly isQuiet?: boolean;
    }
  | { readonly kind: 'failure'; readonly reason: ExecutionFailure; readonly message: string; readonly stack?: string }
  /** Not the code's doing. */
  | { readonly kind: 'unavailable'; readonly message: string; readonly cause?: unknown };

/** How far the process was when it ended on its own. */
export type Phase = 'starting' | 'loading' | 'running';

export const failure = (reason: ExecutionFailure, message: string, stack?: string): Ending => ({
  kind: 'failure',
  reason,
  message,
  ...(stack === undefined ? {} : { stack }),
});

// What V8, and what the parts of Deno that are written in Rust, say last.
const OUT_OF_MEMORY = /out of memory|memory allocation of \d+ bytes failed/iu;
const ABORTS = new Set(['SIGABRT', 'SIGILL', 'SIGSEGV']);
const STACK_OVERFLOW_SIGNALS = new Set(['SIGSEGV', 'SIGBUS']);

/** Read an exit that no frame explained. `stderr` is its last part; it is the code's to write, so it proves little. */
export function endingOfExit(exit: Exit, phase: Phase, stderr: string): Ending {
  if (exit.spawnError !== undefined) {
    return { kind: 'unavailable', message: 'Deno cannot be started', cause: exit.spawnError };
  }
  if (phase === 'starting') {
    return { kind: 'unavailable', message: 'Deno ended before it was ready', cause: { ...exit, stderr } };
  }
  // The first process of a namespace cannot be ended by SIGABRT, and aborts by a SIGSEGV.
  const aborted = ABORTS.has(exit.signal ?? '');
  if (exit.signal === 'SIGTRAP' || exit.code === 133 || (aborted && OUT_OF_MEMORY.test(stderr))) {
    return failure('memory_limit', 'The function used more memory than it may');
  }
  if (exit.signal !== undefined) {
    const detail = STACK_OVERFLOW_SIGNALS.has(exit.signal) ? 'crashed' : 'was ended';
    return failure('exited_early', `The process ${detail} by ${exit.signal} before the function returned`);
  }
  if (phase === 'loading' && /Top-level await promise never resolved/u.test(stderr)) {
    return failure('never_settled', 'The code awaits something at its top level that never settles');
  }
  return failure('exited_early', `The process exited with code ${exit.code ?? 0} before the function returned`);
}
