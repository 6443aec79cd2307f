import type { Readable } from 'node:stream';

/** How a process ended. */
export interface Exit {
  readonly code?: number;
  readonly signal?: string;
  /** Set where the process could not be started. */
  readonly spawnError?: Error;
}

export interface ChildProcess {
  /** Undefined where it could not be started. */
  readonly pid: number | undefined;
  readonly stdout: Readable;
  readonly stderr: Readable;
  /** Settles once the process is gone and its output is read to the end. Never rejects. */
  readonly ended: Promise<Exit>;
  /** SIGKILL to everything that belongs to it: code can catch every other signal. */
  kill(): void;
}
