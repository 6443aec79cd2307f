import { closeSync, fsyncSync, ftruncateSync, openSync, readFileSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import type { CellResult } from './evaluation.ts';
import type { Variant } from './variant.ts';

/** The first line of the journal of a run. */
export interface RunHead {
  readonly type: 'run';
  readonly run: string;
  readonly function: { readonly id: string; readonly name: string; readonly version: number };
  readonly variants: readonly Variant[];
  readonly startedAt: string;
  readonly source: CaseSource;
  /** Digest of the cases. */
  readonly cases: string;
  /** Digest of server and credential: an idempotency key is meaningless to another one. */
  readonly caller: string;
}

/** Where the cases of a run are from. */
export type CaseSource = 'tests' | 'import' | 'feedback';

/** A key that was made for the run. Its secret is in another file. */
export interface RunKey {
  readonly type: 'key';
  readonly id: string;
  readonly expiresAt: string | null;
  /** Of the run, from its beginning. In billionths of a dollar. */
  readonly budget: number;
}

/** A check sent a request to the server. */
export interface CheckAnswer {
  readonly type: 'asked';
  /** Digest of the request. */
  readonly request: string;
  readonly cost: number | null;
  /** Absent: it failed. */
  readonly json?: unknown;
}

/** The scores of the run were added to the data of automatic choice, or removed. */
interface Applied {
  readonly type: 'applied';
  readonly undo: boolean;
}

/** Something that happened to a cell. */
export type CellEvent = { readonly cell: string } & (
  | { readonly type: 'started' }
  | { readonly type: 'accepted'; readonly execution: string }
  /** It did not run: there was no budget for it, or its key was revoked. It starts again. */
  | { readonly type: 'refused'; readonly code: string; readonly message: string; readonly cost: number | null }
  | ({ readonly type: 'ended' } & CellResult)
);

export type JournalLine = RunHead | RunKey | CheckAnswer | Applied | CellEvent;

/**
 * The history of a run, as an append-only file of JSON lines. A line is on disk before the next step is taken, so
 * that the run can continue after any crash.
 */
export class Journal {
  readonly #file: number;

  /** @param onLine Called with each existing line. An incomplete line never happened. */
  constructor(folder: string, onLine: (line: JournalLine) => void) {
    const file = join(folder, 'journal.jsonl');
    this.#file = openSync(file, 'a+', 0o600);
    const text = readFileSync(file);
    const end = text.lastIndexOf('\n') + 1;
    if (end < text.length) ftruncateSync(this.#file, end);
    for (const line of text.toString('utf8', 0, end).split('\n')) {
      if (line !== '') onLine(JSON.parse(line) as JournalLine);
    }
  }

  append(line: JournalLine): void {
    writeSync(this.#file, `${JSON.stringify(line)}\n`);
    fsyncSync(this.#file);
  }

  close(): void {
    closeSync(this.#file);
  }
}
