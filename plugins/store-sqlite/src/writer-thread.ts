import { Worker } from 'node:worker_threads';
import type { TenantId } from '@patchbay/core/plugin';
import type { CommitResult } from '@patchbay/core/storage';
import type { EncodedWrite } from '@patchbay/store-typeorm';
import type { CommitOptions, ConnectionOptions } from './driver.ts';
import { unavailable } from './failures.ts';

/** Something to do with a file. */
export type WriterWork =
  | { readonly work: 'open'; readonly file: number; readonly options: ConnectionOptions }
  | {
      readonly work: 'commit';
      readonly file: number;
      readonly tenant: TenantId;
      readonly writes: readonly EncodedWrite[];
      readonly options: CommitOptions;
    }
  | { readonly work: 'probe' | 'close'; readonly file: number };

export type WriterRequest = WriterWork & { readonly number: number };

/** An error without its class, which no message keeps. */
export interface WriterFailure {
  readonly message: string;
  /** The code of SQLite. */
  readonly code: string | undefined;
}

/** The answer to the request of this number, and whether commits to its file fail. */
export type WriterAnswer = { readonly number: number; readonly isFailing: boolean } & (
  | { readonly result: CommitResult | undefined }
  | { readonly failure: WriterFailure }
);

interface Waiting {
  readonly resolve: (answer: WriterAnswer) => void;
  readonly reject: (error: unknown) => void;
}

// The files of a package have the same extension: sources run as they are in tests.
const isSource = import.meta.url.endsWith('.ts');

/**
 * A thread that writes, started by its first request. It gets the requests of one turn of the event loop together. One that
 * ends by itself is not started again: what it was writing may be on disk or not, and whatever ended it can do so again.
 */
export class WriterThread {
  #worker: Worker | undefined;
  readonly #waiting = new Map<number, Waiting>();
  #outgoing: WriterRequest[] = [];
  #requests = 0;
  #files = 0;
  /** Whether the thread no longer runs. */
  isLost = false;
  /** Why it does not. */
  #lost: unknown;

  get isStarted(): boolean {
    return this.#worker !== undefined;
  }

  /** How many requests there were. */
  get requests(): number {
    return this.#requests;
  }

  /** A number for another file. */
  nextFile(): number {
    this.#files += 1;
    return this.#files;
  }

  /** Resolves with the answer. @throws PatchbayError `storage_unavailable` if the thread has ended. */
  request(work: WriterWork): Promise<WriterAnswer> {
    if (this.isLost) return Promise.reject(lost(this.#lost));
    this.#worker ??= this.#start();
    this.#requests += 1;
    const number = this.#requests;
    const answered = new Promise<WriterAnswer>((resolve, reject) => this.#waiting.set(number, { resolve, reject }));
    // The thread alone does not keep the process, but what waits for it does.
    if (this.#waiting.size === 1) this.#worker.ref();
    if (this.#outgoing.length === 0) setImmediate(() => this.#send());
    this.#outgoing.push({ ...work, number });
    return answered;
  }

  /** Once every file is closed. */
  async end(): Promise<void> {
    if (!this.isLost) await this.#worker?.terminate();
    this.#lose(new Error('the thread was ended'));
  }

  #start(): Worker {
    const worker = new Worker(new URL(`./writer-thread-main.${isSource ? 'ts' : 'js'}`, import.meta.url), {
      execArgv: isSource ? ['--conditions=source'] : [],
      env: {},
      name: 'store-sqlite',
    });
    worker.on('message', (answers: readonly WriterAnswer[]) => this.#receive(answers));
    worker.on('error', (error) => this.#lose(error));
    worker.on('exit', (code) => this.#lose(new Error(`the thread ended with ${code}`)));
    worker.unref();
    return worker;
  }

  #send(): void {
    this.#worker?.postMessage(this.#outgoing);
    this.#outgoing = [];
  }

  #receive(answers: readonly WriterAnswer[]): void {
    for (const answer of answers) {
      this.#waiting.get(answer.number)?.resolve(answer);
      this.#waiting.delete(answer.number);
    }
    if (this.#waiting.size === 0) this.#worker?.unref();
  }

  #lose(cause: unknown): void {
    this.isLost = true;
    this.#lost ??= cause;
    const waiting = [...this.#waiting.values()];
    this.#waiting.clear();
    for (const { reject } of waiting) reject(lost(this.#lost));
  }
}

const lost = (cause: unknown) => unavailable('the thread that writes has ended: restart the server', cause);
