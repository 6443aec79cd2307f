import { type ExecFileOptions, execFile } from 'node:child_process';

/** How a program has ended. */
export interface ProgramAnswer {
  readonly failed: boolean;
  /** Its standard output. */
  readonly text: string;
  /** Set if it failed. */
  readonly cause: Error | undefined;
}

/** Longer outputs count as failures. */
const MAX_BYTES = 65_536;

/** Run a program that only prints a result, until it exits. Never rejects. */
export async function askProgram(
  [file = '', ...rest]: readonly string[],
  options: Pick<ExecFileOptions, 'env' | 'signal' | 'timeout'>,
): Promise<ProgramAnswer> {
  const limits = { killSignal: 'SIGKILL', maxBuffer: MAX_BYTES, windowsHide: true } as const;
  return await new Promise((resolve) => {
    const child = execFile(file, rest, { ...options, ...limits }, (error, text) => {
      resolve({ failed: error !== null, text, cause: error ?? undefined });
    });
    child.stdin?.end();
  });
}
