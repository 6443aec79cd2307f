import { type ChildProcess as HelperChild, spawn } from 'node:child_process';
import type { Socket } from 'node:net';
import path from 'node:path';
import { Readable } from 'node:stream';
import { fileURLToPath } from 'node:url';
import type { ChildProcess, Exit } from './child-process.ts';
import type { Command } from './deno-command.ts';
import type { LaunchReport, LaunchRequest } from './messages.ts';
import type { Slot } from './process-socket.ts';

// `.ts` while developing, `.js` where the package was built.
const entry = fileURLToPath(new URL(`./main${path.extname(import.meta.url)}`, import.meta.url));
const IDLE_MS = 10_000;

interface Launched {
  onStarted(pid: number): void;
  onEnded(exit: Exit): void;
}

/** A helper process, and what it has started: its end is the end of that, and of nothing else. */
interface Helper {
  readonly process: HelperChild;
  readonly launched: Map<number, Launched>;
}

/** Starts processes by way of a small helper process, which there is only while it is needed. */
export class LaunchHelper {
  #helper: Helper | undefined;
  readonly #going = new Set<Promise<void>>();
  #idle: NodeJS.Timeout | undefined;
  #lastId = 0;

  /**
   * Start a process in a group of its own, with nothing of the host's environment, and its output going to the next two
   * connections of a slot.
   *
   * @param isWrapped The command starts the process as its child, waits for it, and then ends too.
   */
  async start(command: Command, slot: Slot, isWrapped: boolean): Promise<ChildProcess> {
    const id = ++this.#lastId;
    const out = nextConnection(slot);
    const error = nextConnection(slot);
    const started = Promise.withResolvers<number | undefined>();
    const exited = Promise.withResolvers<Exit>();
    let alive = true;
    clearTimeout(this.#idle);
    this.#helper ??= this.#startHelper();
    const helper = this.#helper;
    helper.launched.set(id, {
      onStarted: started.resolve,
      onEnded(exit) {
        alive = false;
        started.resolve(undefined);
        exited.resolve(exit);
      },
    });
    send(helper, { kind: 'start', id, command, socketPath: slot.socketPath });
    const pid = await started.promise;
    if (pid === undefined) {
      for (const connection of [out, error]) void connection.then((socket) => socket.destroy());
      return { pid, stdout: Readable.from([]), stderr: Readable.from([]), ended: exited.promise, kill() {} };
    }
    const [stdout, stderr] = await Promise.all([out, error]);
    const closed = Promise.all(
      [stdout, stderr].map((stream) => new Promise((resolve) => stream.once('close', resolve))),
    );
    return {
      pid,
      stdout,
      stderr,
      ended: exited.promise.then(async (exit) => {
        await closed;
        return exit;
      }),
      kill() {
        if (alive) send(helper, { kind: 'kill', id, isWrapped });
      },
    };
  }

  /** End the helper, and with it whatever it has started. */
  async stop(): Promise<void> {
    this.#end();
    await Promise.all(this.#going);
  }

  #startHelper(): Helper {
    const child = spawn(process.execPath, ['--max-old-space-size=32', '--no-warnings', entry], {
      env: {},
      stdio: ['ignore', 'ignore', 'ignore', 'ipc'],
      windowsHide: true,
    });
    const helper: Helper = { process: child, launched: new Map() };
    const gone = new Promise<void>((resolve) => {
      child.once('exit', () => resolve());
      child.once('error', () => resolve());
    }).then(() => {
      if (this.#helper === helper) this.#helper = undefined;
      this.#going.delete(gone);
      const exit: Exit = { spawnError: new Error('the process that starts the others is gone') };
      for (const launched of helper.launched.values()) launched.onEnded(exit);
      helper.launched.clear();
    });
    this.#going.add(gone);
    child.on('message', (message) => this.#take(helper, message as LaunchReport));
    return helper;
  }

  #take(helper: Helper, message: LaunchReport): void {
    const launched = helper.launched.get(message.id);
    if (message.kind === 'started') {
      launched?.onStarted(message.pid);
      return;
    }
    helper.launched.delete(message.id);
    launched?.onEnded(exitOf(message));
    if (helper !== this.#helper || helper.launched.size > 0) return;
    clearTimeout(this.#idle);
    this.#idle = setTimeout(() => this.#end(), IDLE_MS).unref();
  }

  #end(): void {
    clearTimeout(this.#idle);
    if (this.#helper !== undefined) send(this.#helper, { kind: 'leave' });
    this.#helper = undefined;
  }
}

function send({ process: child }: Helper, request: LaunchRequest): void {
  child.send(request, () => {
    // Whether it arrived or not: the end of the helper says so.
  });
}

function exitOf(report: Exclude<LaunchReport, { readonly kind: 'started' }>): Exit {
  if (report.kind === 'failed') return { spawnError: new Error(report.message) };
  const { code, signal } = report;
  return { ...(code !== null && { code }), ...(signal !== null && { signal }) };
}

function nextConnection(slot: Slot): Promise<Socket> {
  return new Promise((resolve) => slot.accept(resolve));
}
