import { type ChildProcess as HelperChild, spawn } from 'node:child_process';
import type { Socket } from 'node:net';
import path from 'node:path';
import { Readable } from 'node:stream';
import { fileURLToPath } from 'node:url';
import type { ChildProcess, Exit } from '../run/child-process.ts';
import type { Command } from '../run/deno-command.ts';
import type { Slot } from '../run/slot.ts';
import type { LaunchReport, LaunchRequest } from './messages.ts';

// `.ts` while developing, `.js` where the package was built.
const entry = fileURLToPath(new URL(`./main${path.extname(import.meta.url)}`, import.meta.url));
const IDLE_MS = 10_000;

interface Launched {
  onStarted(pid: number): void;
  onEnded(exit: Exit): void;
}

/** Starts processes by way of a small helper process, which there is only while it is needed. */
export class LaunchHelper {
  readonly #launched = new Map<number, Launched>();
  #helper: HelperChild | undefined;
  #gone: Promise<unknown> = Promise.resolve();
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
    this.#launched.set(id, {
      onStarted: started.resolve,
      onEnded(exit) {
        alive = false;
        started.resolve(undefined);
        exited.resolve(exit);
      },
    });
    clearTimeout(this.#idle);
    this.#send({ kind: 'start', id, command, socketPath: slot.socketPath });
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
      kill: () => {
        if (alive) this.#send({ kind: 'kill', id, isWrapped });
      },
    };
  }

  /** End the helper, and with it whatever it has started. */
  async stop(): Promise<void> {
    this.#end();
    await this.#gone;
  }

  #send(request: LaunchRequest): void {
    this.#helper ??= this.#startHelper();
    this.#helper.send(request, () => {
      // Whether it arrived or not: the end of the helper says so.
    });
  }

  #startHelper(): HelperChild {
    const helper = spawn(process.execPath, ['--max-old-space-size=32', '--no-warnings', entry], {
      env: {},
      stdio: ['ignore', 'ignore', 'ignore', 'ipc'],
      windowsHide: true,
    });
    const lose = (): void => {
      if (this.#helper === helper) this.#helper = undefined;
      const exit: Exit = { spawnError: new Error('the process that starts the others is gone') };
      for (const [id, launched] of this.#launched) {
        this.#launched.delete(id);
        launched.onEnded(exit);
      }
    };
    const gone = new Promise<void>((resolve) => {
      helper.once('exit', () => resolve());
      helper.once('error', () => resolve());
    }).then(lose);
    this.#gone = Promise.all([this.#gone, gone]);
    helper.on('message', (message) => this.#take(message as LaunchReport));
    return helper;
  }

  #take(message: LaunchReport): void {
    const launched = this.#launched.get(message.id);
    if (message.kind === 'started') {
      launched?.onStarted(message.pid);
      return;
    }
    this.#launched.delete(message.id);
    launched?.onEnded(
      message.kind === 'failed'
        ? { spawnError: new Error(message.message) }
        : {
            ...(message.code === null ? {} : { code: message.code }),
            ...(message.signal === null ? {} : { signal: message.signal }),
          },
    );
    if (this.#launched.size === 0) this.#idle = setTimeout(() => this.#end(), IDLE_MS).unref();
  }

  #end(): void {
    clearTimeout(this.#idle);
    this.#helper?.send({ kind: 'leave' } satisfies LaunchRequest, () => {
      // It leaves, or has left.
    });
    this.#helper = undefined;
  }
}

function nextConnection(slot: Slot): Promise<Socket> {
  return new Promise((resolve) => slot.accept(resolve));
}
