import { type ChildProcess as HelperChild, spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { chmod, chown, rename, unlink } from 'node:fs/promises';
import { createServer, type Socket } from 'node:net';
import { constants } from 'node:os';
import path from 'node:path';
import { Readable } from 'node:stream';
import { fileURLToPath } from 'node:url';
import { type Command, denoCommand } from './deno-command.ts';
import type { Jail } from './jail.ts';

// `.ts` while developing, `.js` where the package was built.
const entry = fileURLToPath(new URL(`./main${path.extname(import.meta.url)}`, import.meta.url));
const IDLE_MS = 10_000;

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

/** A message of the server to its launch helper. Ids are the server's to choose. */
export type LaunchRequest =
  | {
      readonly kind: 'start';
      readonly id: number;
      readonly command: Command;
      /** Where the server takes connections: the first is the standard output, the second the standard error. */
      readonly socketPath: string;
    }
  | {
      readonly kind: 'kill';
      readonly id: number;
      /** The process started another one, which must die first. */
      readonly isWrapped: boolean;
    }
  /** No more requests will come, and none is in progress. */
  | { readonly kind: 'leave' };

/** A message of the helper. */
export type LaunchReport =
  | { readonly kind: 'started'; readonly id: number; readonly pid: number }
  | { readonly kind: 'failed'; readonly id: number; readonly message: string }
  | { readonly kind: 'ended'; readonly id: number; readonly code: number | null; readonly signal: string | null };

interface Launched {
  onStarted(pid: number): void;
  onEnded(exit: Exit): void;
}

/** A helper process with the processes it started: they end together, and no others. */
interface Helper {
  readonly process: HelperChild;
  readonly launched: Map<number, Launched>;
}

/** Starts processes through a small helper process, which exists only while it is needed. */
export class LaunchHelper {
  #helper: Helper | undefined;
  readonly #going = new Set<Promise<void>>();
  #idle: NodeJS.Timeout | undefined;
  #lastId = 0;

  /**
   * Start a process in a new group, with an empty environment, and its output going to the next two
   * connections of a socket.
   *
   * @param isWrapped The command starts the process as its child, waits for it, and then ends too.
   */
  async start(command: Command, meeting: ProcessSocket, isWrapped: boolean): Promise<ChildProcess> {
    const id = ++this.#lastId;
    const out = nextConnection(meeting);
    const error = nextConnection(meeting);
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
    send(helper, { kind: 'start', id, command, socketPath: meeting.socketPath });
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
    const { NODE_COMPILE_CACHE } = process.env;
    const child = spawn(process.execPath, ['--max-old-space-size=32', '--no-warnings', entry], {
      // From the server's environment only Node's compile cache, which cuts a start from sources to a third.
      env: { ...(NODE_COMPILE_CACHE !== undefined && { NODE_COMPILE_CACHE }) },
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
    // Ignored: if it did not arrive, the helper has ended, which is noticed elsewhere.
  });
}

function exitOf(report: Exclude<LaunchReport, { readonly kind: 'started' }>): Exit {
  if (report.kind === 'failed') return { spawnError: new Error(report.message) };
  const { code, signal } = report;
  return { ...(code !== null && { code }), ...(signal !== null && { signal }) };
}

function nextConnection(meeting: ProcessSocket): Promise<Socket> {
  return new Promise((resolve) => meeting.accept(resolve));
}

/** A private meeting place of the host and one process. */
export interface ProcessSocket {
  readonly socketPath: string;
  /**
   * Wait for one connection, which comes paused. The first caller gets the first one; one that is not awaited is
   * refused.
   */
  accept(listener: (socket: Socket) => void): void;
  /** Take no further connections. */
  refuse(): void;
  /** The same, and remove what is on disk, once there is no connection left. Safe to call twice. */
  close(): Promise<void>;
}

/**
 * Open a socket that one user can connect to.
 *
 * @param folder One that this user cannot list: the name is a secret between the host and the process.
 * @param uid Who shall connect, where it is not the server's own user.
 */
export async function openProcessSocket(folder: string, uid?: number): Promise<ProcessSocket> {
  const socketPath = path.join(folder, randomBytes(12).toString('base64url'));
  // A server removes the name that it was opened with when it closes. The thread that then closes the last connection
  // waits for the disk, and here that would be the main thread.
  const firstPath = `${socketPath}~`;
  const server = createServer({ pauseOnConnect: true, allowHalfOpen: true });
  const refuse = (): void => {
    server.close();
  };
  let removal: Promise<void> | undefined;
  const close = (): Promise<void> => {
    refuse();
    // A file that cannot be removed goes with its folder.
    removal ??= unlink(socketPath).catch(() => undefined);
    return removal;
  };
  try {
    await new Promise<void>((resolve, reject) => {
      server.once('error', reject);
      // Not shared with other processes of a cluster.
      server.listen({ path: firstPath, exclusive: true }, resolve);
    });
    await chmod(firstPath, 0o700);
    if (uid !== undefined) await chown(firstPath, uid, uid);
    await rename(firstPath, socketPath);
  } catch (error) {
    refuse();
    throw error;
  }
  const waiting: ((socket: Socket) => void)[] = [];
  server.on('connection', (socket) => {
    const listener = waiting.shift();
    if (listener === undefined) {
      socket.destroy();
      return;
    }
    // A reset comes with the end of the process, which says more.
    socket.on('error', () => {});
    // A process that has closed its end receives nothing more: closing ours in an orderly way would be one more system
    // call.
    socket.once('end', () => socket.destroy());
    listener(socket);
  });
  return { socketPath, accept: (listener) => void waiting.push(listener), refuse, close };
}

/** Makes processes that run the bootstrap and will connect to a socket of the host. */
export interface Launcher {
  /** A socket on which one process connects to its host. */
  openSocket(): Promise<ProcessSocket>;
  /** Never rejects: a process that cannot be started counts as ended. */
  launch(meeting: ProcessSocket): Promise<ChildProcess>;
}

export interface LauncherOptions {
  readonly helper: LaunchHelper;
  /** Where the sockets are. */
  readonly folder: string;
  readonly deno: string;
  /** The module that Deno runs. The user of the jail may read it. */
  readonly bootstrap: string;
  readonly memoryMb: number;
  readonly jail: Jail;
  /** A program with arguments that runs the command after it, such as `prlimit` with its flags. */
  readonly prefix: readonly string[];
}

export function createLauncher({ helper, folder, deno, bootstrap, memoryMb, jail, prefix }: LauncherOptions): Launcher {
  return {
    openSocket: () => openProcessSocket(folder, jail.uid),
    async launch(meeting) {
      const places = { deno, bootstrap, socketPath: meeting.socketPath };
      const command = jail.enter(places, (inside) => denoCommand({ ...inside, memoryMb }));
      const [file = '', ...rest] = [...prefix, command.file, ...command.arguments];
      const isWrapped = jail.level === 'unshare' || jail.level === 'bwrap';
      const child = await helper.start({ file, arguments: rest }, meeting, isWrapped);
      return jail.level === 'bwrap' ? { ...child, ended: child.ended.then(withSignal) } : child;
    },
  };
}

/** `bwrap` reports a signal that ended its child as shells do: 128 plus its number. */
function withSignal(exit: Exit): Exit {
  const number = (exit.code ?? 0) - 128;
  const signal = Object.entries(constants.signals).find(([, value]) => value === number)?.[0];
  return number > 0 && signal !== undefined ? { signal } : exit;
}
