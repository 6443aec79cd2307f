import { constants } from 'node:os';
import { denoCommand } from './deno-command.ts';
import type { Jail } from './jail.ts';
import {
  type ChildProcess,
  type Exit,
  type LaunchHelper,
  openProcessSocket,
  type ProcessSocket,
} from './launch-helper.ts';

/** Makes processes that run the bootstrap and will connect to a socket of the host. */
export interface Launcher {
  /** A place for one process to meet its host. */
  openSocket(): Promise<ProcessSocket>;
  /** Never rejects: a process that cannot be started is one that has ended. */
  launch(meeting: ProcessSocket): Promise<ChildProcess>;
}

export interface LauncherOptions {
  readonly helper: LaunchHelper;
  /** Where the sockets are. */
  readonly folder: string;
  readonly deno: string;
  /** The module that Deno runs. Whoever the jail makes of it may read it. */
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

/** `bwrap` tells a signal that ended its child as shells do: 128 and its number. */
function withSignal(exit: Exit): Exit {
  const number = (exit.code ?? 0) - 128;
  const signal = Object.entries(constants.signals).find(([, value]) => value === number)?.[0];
  return number > 0 && signal !== undefined ? { signal } : exit;
}
