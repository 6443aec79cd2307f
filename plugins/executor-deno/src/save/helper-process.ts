import { type ChildProcess, spawn } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import type { Command } from '../launch/deno-command.ts';
import { residentBytes } from '../process-memory.ts';
import { innermostProcess } from '../system-process.ts';
import { watchProcess } from '../watch-process.ts';

export interface HelperOptions {
  /** Module that answers every message of its parent with one message. */
  readonly entry: URL;
  readonly heapMb: number;
  /** Resident memory at which the helper is killed, where the platform tells it. */
  readonly memoryMb: number;
  /** Resident memory above which it is not kept after an answer. */
  readonly keptMb: number;
  /** Milliseconds of CPU that one answer may take, where the platform tells it. */
  readonly cpuMs?: number;
  /** Milliseconds that one answer may take, however busy the machine is. */
  readonly deadlineMs: number;
  /** Puts the helper in a jail, from its next start on. Default: none. */
  readonly enterJail?: (command: Command) => Command;
  /** Milliseconds without work after which the helper is ended. */
  readonly idleMs: number;
}

export type Answer<T> =
  | { readonly kind: 'answer'; readonly value: T }
  | { readonly kind: 'timed_out' | 'crashed' | 'out_of_memory' }
  /** No fault of the question: the helper could not be started, or somebody else killed it. */
  | { readonly kind: 'unavailable' };

const START_TIMEOUT_MS = 20_000;

/**
 * A Node process that does work on hostile text: parsers can overflow their stack, and take their process with them.
 * It starts with the first question, answers one at a time, and leaves after some idle time, with all its memory.
 */
export class HelperProcess<Question, Value> {
  readonly #options: HelperOptions;
  #process: ChildProcess | undefined;
  #ready: Promise<boolean> | undefined;
  #turn: Promise<unknown> = Promise.resolve();
  #idle: NodeJS.Timeout | undefined;
  #waiting = 0;
  #stopped = false;
  readonly #going = new Set<Promise<void>>();

  constructor(options: HelperOptions) {
    this.#options = options;
  }

  /** Whether the process is there, with all that it has loaded. */
  get isRunning(): boolean {
    return this.#process !== undefined;
  }

  /** How many questions are not answered yet. */
  get waiting(): number {
    return this.#waiting;
  }

  /** Rejects with the reason of a signal that aborts before the question is asked. */
  async ask(question: Question, signal: AbortSignal): Promise<Answer<Value>> {
    this.#waiting++;
    clearTimeout(this.#idle);
    const answer = this.#turn.then(() => {
      signal.throwIfAborted();
      return this.#askNow(question);
    });
    this.#turn = answer.catch(() => {});
    try {
      return await answer;
    } finally {
      this.#waiting--;
      if (this.#waiting === 0) this.#idle = setTimeout(() => this.#end(), this.#options.idleMs).unref();
    }
  }

  /** Kill the helper, and start none any more. Settles when it is gone. */
  async stop(): Promise<void> {
    this.#stopped = true;
    this.#end();
    await Promise.all(this.#going);
  }

  #end(): void {
    clearTimeout(this.#idle);
    // Waited for from here on: `stop` would never settle in a host that has nothing else to do.
    this.#process?.ref();
    this.#process?.kill('SIGKILL');
    this.#process = undefined;
    this.#ready = undefined;
  }

  async #askNow(question: Question): Promise<Answer<Value>> {
    if (this.#stopped) return { kind: 'unavailable' };
    const child = this.#process ?? this.#start();
    child.ref();
    try {
      if (!(await this.#ready)) {
        this.#end();
        return { kind: 'unavailable' };
      }
      const answer = await this.#exchange(child, question);
      const tooLarge = residentBytes(insideOf(child)) > this.#options.keptMb * 1024 * 1024;
      if (answer.kind !== 'answer' || tooLarge) this.#end();
      return answer;
    } finally {
      child.unref();
      child.channel?.unref();
    }
  }

  #start(): ChildProcess {
    const { entry, heapMb, enterJail = (bare) => bare } = this.#options;
    const flags = [`--max-old-space-size=${heapMb}`, '--no-warnings'];
    const command = enterJail({ file: process.execPath, arguments: [...flags, fileURLToPath(entry)] });
    const child = spawn(command.file, [...command.arguments], {
      env: {},
      stdio: ['ignore', 'ignore', 'ignore', 'ipc'],
      windowsHide: true,
    });
    this.#process = child;
    const exited = new Promise((resolve) => child.once('exit', resolve).once('error', resolve)).then(() => {
      this.#going.delete(exited);
    });
    this.#going.add(exited);
    // The helper's first message says that it has loaded what it needs.
    this.#ready = new Promise((resolve) => {
      const timer = setTimeout(() => resolve(false), START_TIMEOUT_MS);
      child.once('message', () => {
        clearTimeout(timer);
        resolve(true);
      });
      child.once('error', () => resolve(false));
      child.once('exit', () => {
        clearTimeout(timer);
        resolve(false);
        if (this.#process === child) this.#end();
      });
    });
    return child;
  }

  #exchange(child: ChildProcess, question: Question): Promise<Answer<Value>> {
    return new Promise((resolve) => {
      const settle = (answer: Answer<Value>): void => {
        clearTimeout(timer);
        stopWatching();
        child.off('message', onMessage).off('exit', onExit);
        resolve(answer);
      };
      const onMessage = (value: unknown): void => settle({ kind: 'answer', value: value as Value });
      const onExit = (_: number | null, signal: NodeJS.Signals | null): void =>
        settle({ kind: signal === 'SIGKILL' ? 'unavailable' : 'crashed' });
      const timer = setTimeout(() => settle({ kind: 'timed_out' }), this.#options.deadlineMs);
      const { memoryMb, cpuMs = Number.POSITIVE_INFINITY } = this.#options;
      const stopWatching = watchProcess(
        insideOf(child),
        { memoryMb, cpuMs },
        { onMemory: () => settle({ kind: 'out_of_memory' }), onCpu: () => settle({ kind: 'timed_out' }) },
      );
      child.on('message', onMessage).on('exit', onExit);
      child.send({ question }, (error) => {
        if (error) settle({ kind: 'unavailable' });
      });
    });
  }
}

/** The helper itself: a jail may be a process around it. */
function insideOf({ pid }: ChildProcess): number | undefined {
  return pid === undefined ? undefined : innermostProcess(pid);
}
