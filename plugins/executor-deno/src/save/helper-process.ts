import { type ChildProcess, spawn } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import type { Command } from '../launch/deno-command.ts';
import { processTree, readTreeUsage, sendSignal } from '../system-process.ts';

export interface HelperOptions {
  /** Module that answers every message of its parent with one message. */
  readonly entry: URL;
  /** Argument of the module. */
  readonly task?: string;
  readonly heapMb: number;
  /** Resident memory at which the helper is killed, with what it has started, where the platform reports it. */
  readonly memoryMb: number;
  /** Resident memory above which it is not kept after an answer. */
  readonly keptMb: number;
  /** Maximum CPU milliseconds of one response, including child processes, if the platform reports it. */
  readonly cpuMs?: number;
  /** Milliseconds of CPU after which a request counts as long; of elapsed time if the platform does not report CPU. */
  readonly longMs?: number;
  /** Milliseconds that one response may take, however busy the machine is. */
  readonly deadlineMs: number;
  /** Puts the helper in a jail, from its next start on. Default: none. */
  readonly enterJail?: (command: Command) => Command;
  /** Milliseconds without work after which the helper is ended. */
  readonly idleMs: number;
}

export type Answer<T> =
  | { readonly kind: 'answer'; readonly value: T }
  | { readonly kind: 'timed_out' | 'crashed' | 'out_of_memory' }
  /** Not caused by the request: the helper could not be started, or something else killed it. */
  | { readonly kind: 'unavailable' };

const START_TIMEOUT_MS = 20_000;
const WATCH_MS = 20;
const MEGABYTE = 1024 * 1024;
/** Only Linux reports the usage of a process for the price of reading a file. */
const reportsUsage = process.platform === 'linux';

/**
 * A Node process that does work on hostile text: parsers can overflow their stack, and take their process with them.
 * It starts with the first request, handles one at a time, and exits after some idle time, which frees all its memory.
 */
export class HelperProcess<Question, Value> {
  readonly #options: HelperOptions;
  #process: ChildProcess | undefined;
  #ready: Promise<boolean> | undefined;
  #idle: NodeJS.Timeout | undefined;
  #stopped = false;
  readonly #going = new Set<Promise<void>>();

  constructor(options: HelperOptions) {
    this.#options = options;
  }

  /** Whether the process is there, with all that it has loaded. */
  get isRunning(): boolean {
    return this.#process !== undefined;
  }

  /**
   * Send a request, after the last one got its response.
   *
   * @param onLong Called when it turns out to be a long one.
   */
  async ask(question: Question, onLong: () => void = () => {}): Promise<Answer<Value>> {
    if (this.#stopped) return { kind: 'unavailable' };
    clearTimeout(this.#idle);
    const child = this.#process ?? this.#start();
    child.ref();
    try {
      if (!(await this.#ready)) {
        this.interrupt();
        return { kind: 'unavailable' };
      }
      const answer = await this.#exchange(child, question, onLong);
      const isTooLarge = usageOf(child).residentBytes > this.#options.keptMb * MEGABYTE;
      if (answer.kind !== 'answer' || isTooLarge) this.interrupt();
      return answer;
    } finally {
      child.unref();
      child.channel?.unref();
      this.#idle = setTimeout(() => this.interrupt(), this.#options.idleMs).unref();
    }
  }

  /** Kill the helper. A pending request fails with `unavailable`; the next one starts it again. */
  interrupt(): void {
    clearTimeout(this.#idle);
    const child = this.#process;
    this.#process = undefined;
    this.#ready = undefined;
    if (child?.pid === undefined || child.exitCode !== null || child.signalCode !== null) return;
    // Waited for from here on: `stop` would never settle in a host that has nothing else to do.
    child.ref();
    for (const pid of processTree(child.pid).toReversed()) sendSignal(pid, 'SIGKILL');
  }

  /** Kill the helper, and start no more. Settles when it is gone. */
  async stop(): Promise<void> {
    this.#stopped = true;
    this.interrupt();
    await Promise.all(this.#going);
  }

  #start(): ChildProcess {
    const { entry, task, heapMb, enterJail = (bare) => bare } = this.#options;
    const flags = [`--max-old-space-size=${heapMb}`, '--no-warnings'];
    const words = [...flags, fileURLToPath(entry), ...(task === undefined ? [] : [task])];
    const command = enterJail({ file: process.execPath, arguments: words });
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
        if (this.#process === child) this.interrupt();
      });
    });
    return child;
  }

  #exchange(child: ChildProcess, question: Question, onLong: () => void): Promise<Answer<Value>> {
    const { cpuMs = Infinity, longMs = Infinity, memoryMb, deadlineMs } = this.#options;
    return new Promise((resolve) => {
      const settle = (answer: Answer<Value>): void => {
        clearTimeout(timer);
        clearInterval(watch);
        child.off('message', onMessage).off('exit', onExit);
        resolve(answer);
      };
      const onMessage = (value: unknown): void => settle({ kind: 'answer', value: value as Value });
      const onExit = (_: number | null, signal: NodeJS.Signals | null): void =>
        settle({ kind: signal === 'SIGKILL' ? 'unavailable' : 'crashed' });
      const timer = setTimeout(() => settle({ kind: 'timed_out' }), deadlineMs);
      const before = usageOf(child).cpuSeconds * 1000;
      const askedAt = performance.now();
      let isLong = false;
      const watch = setInterval(() => {
        const usage = usageOf(child);
        const usedMs = reportsUsage ? usage.cpuSeconds * 1000 - before : performance.now() - askedAt;
        if (usage.residentBytes > memoryMb * MEGABYTE) settle({ kind: 'out_of_memory' });
        else if (reportsUsage && usedMs > cpuMs) settle({ kind: 'timed_out' });
        else if (usedMs > longMs && !isLong) {
          isLong = true;
          onLong();
        }
      }, WATCH_MS);
      child.on('message', onMessage).on('exit', onExit);
      child.send({ question }, (error) => {
        if (error) settle({ kind: 'unavailable' });
      });
    });
  }
}

/** With the jail around the helper, and with what it has started, such as the program of esbuild. */
function usageOf({ pid }: ChildProcess): { readonly cpuSeconds: number; readonly residentBytes: number } {
  return pid === undefined || !reportsUsage ? { cpuSeconds: 0, residentBytes: 0 } : readTreeUsage(pid);
}
