import { Worker } from 'node:worker_threads';
import { PatchbayError } from '../errors.ts';
import type { SchemaResult, SchemaWork } from './schema-service.ts';
import type { ThreadAnswer } from './schema-thread.ts';

interface Task {
  readonly work: SchemaWork;
  readonly resolve: (result: SchemaResult) => void;
  readonly reject: (error: unknown) => void;
}

/** Pieces of work of one tenant that may wait. */
const MAX_WAITING = 100;

/** Megabytes that the compiled schemas and documents of a thread may take. */
const MAX_HEAP_MB = 512;

// The files of a package have the same extension: sources run as they are in tests.
const extension = import.meta.url.endsWith('.ts') ? 'ts' : 'js';

/**
 * One thread for work with schemas that would block the event loop. It is started with the first task
 * and restarted after a failure. Tenants are served round-robin: a tenant with many tasks delays only itself.
 */
export class ThreadedWork {
  readonly #lanes = new Map<string, Task[]>();
  #worker: Worker | undefined;
  #current: Task | undefined;
  #isClosed = false;

  /** @throws PatchbayError `overloaded`, `shutting_down`. */
  run(lane: string, work: SchemaWork): Promise<SchemaResult> {
    const waiting = this.#lanes.get(lane) ?? [];
    if (this.#isClosed) throw new PatchbayError('shutting_down', 'the server is shutting down', { retryAfter: 1 });
    if (waiting.length >= MAX_WAITING) {
      throw new PatchbayError('overloaded', 'too many large documents are being validated', { retryAfter: 1 });
    }
    return new Promise((resolve, reject) => {
      waiting.push({ work, resolve, reject });
      this.#lanes.set(lane, waiting);
      this.#next();
    });
  }

  /** Stop the thread. Pending work is rejected. */
  async close(): Promise<void> {
    this.#isClosed = true;
    const worker = this.#worker;
    this.#worker = undefined;
    const error = new PatchbayError('shutting_down', 'the server is shutting down', { retryAfter: 1 });
    const tasks = [...this.#lanes.values()].flat();
    this.#lanes.clear();
    for (const task of [this.#current, ...tasks]) task?.reject(error);
    await worker?.terminate();
  }

  #next(): void {
    if (this.#current !== undefined || this.#isClosed) return;
    const [lane, tasks] = this.#lanes.entries().next().value ?? [];
    const task = tasks?.shift();
    if (lane === undefined || tasks === undefined || task === undefined) {
      this.#worker?.unref();
      return;
    }
    // The lane goes to the end of the line.
    this.#lanes.delete(lane);
    if (tasks.length > 0) this.#lanes.set(lane, tasks);
    this.#current = task;
    this.#worker ??= this.#start();
    this.#worker.ref();
    this.#worker.postMessage(task.work);
  }

  #start(): Worker {
    const worker = new Worker(new URL(`./schema-thread.${extension}`, import.meta.url), {
      execArgv: [],
      env: {},
      resourceLimits: { maxOldGenerationSizeMb: MAX_HEAP_MB },
    });
    const settle = (end: (task: Task | undefined) => void): void => {
      const task = this.#current;
      this.#current = undefined;
      end(task);
      this.#next();
    };
    worker.on('message', (answer: ThreadAnswer) => {
      settle((task) => {
        if ('result' in answer) task?.resolve(answer.result);
        else task?.reject(new Error(`a schema could not be processed: ${answer.error}`));
      });
    });
    const failed = (cause: unknown): void => {
      if (this.#worker !== worker) return;
      this.#worker = undefined;
      const error = new PatchbayError('overloaded', 'the document could not be validated', { retryAfter: 1, cause });
      settle((task) => task?.reject(error));
    };
    worker.on('error', failed);
    worker.on('exit', (code) => failed(new Error(`the thread ended with ${code}`)));
    return worker;
  }
}
