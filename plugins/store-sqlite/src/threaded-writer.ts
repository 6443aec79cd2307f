import type { TenantId } from '@patchbay/core/plugin';
import type { CommitResult } from '@patchbay/core/storage';
import type { EncodedWrite } from '@patchbay/store-typeorm';
import type { CommitOptions, ConnectionOptions, Writer } from './driver.ts';
import { toStorageError } from './failures.ts';
import type { WriterFailure, WriterThread, WriterWork } from './writer-thread.ts';

/** Writes to one file in a thread. */
export class ThreadedWriter implements Writer {
  readonly #thread: WriterThread;
  readonly #file: number;
  readonly #beforeAnswer: () => void;
  #last: Promise<unknown> = Promise.resolve();
  #isFailing = false;

  private constructor(thread: WriterThread, beforeAnswer: () => void) {
    this.#thread = thread;
    this.#file = thread.nextFile();
    this.#beforeAnswer = beforeAnswer;
  }

  /**
   * Open the file in the thread.
   *
   * @param beforeAnswer Called before a commit is acknowledged.
   * @throws Error with the code of SQLite where the file cannot be opened.
   */
  static async open(
    thread: WriterThread,
    options: ConnectionOptions,
    beforeAnswer: () => void,
  ): Promise<ThreadedWriter> {
    const writer = new ThreadedWriter(thread, beforeAnswer);
    await writer.#ask({ work: 'open', file: writer.#file, options });
    return writer;
  }

  get isFailing(): boolean {
    return this.#isFailing || this.#thread.isLost;
  }

  async commit(tenant: TenantId, writes: readonly EncodedWrite[], options: CommitOptions = {}): Promise<CommitResult> {
    const committed = this.#ask({ work: 'commit', file: this.#file, tenant, writes, options });
    this.#last = committed;
    try {
      return (await committed) as CommitResult;
    } catch (error) {
      throw toStorageError(error);
    } finally {
      this.#beforeAnswer();
    }
  }

  async drain(): Promise<void> {
    await this.#last.catch(() => {});
  }

  async probe(): Promise<void> {
    await this.#ask({ work: 'probe', file: this.#file });
  }

  /** Close the file, unless it is gone with the thread. */
  async close(): Promise<void> {
    if (!this.#thread.isLost) await this.#ask({ work: 'close', file: this.#file });
  }

  async #ask(work: WriterWork): Promise<CommitResult | undefined> {
    const answer = await this.#thread.request(work);
    this.#isFailing = answer.isFailing;
    if ('failure' in answer) throw errorOf(answer.failure);
    return answer.result;
  }
}

/** The error of the thread, with the code by which errors of SQLite are known. */
function errorOf({ message, code }: WriterFailure): Error {
  return code === undefined ? new Error(message) : Object.assign(new Error(message), { code });
}
