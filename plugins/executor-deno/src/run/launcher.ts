import { constants } from 'node:os';
import { fileURLToPath } from 'node:url';
import { type ChildProcess, type Exit, startProcess } from './child-process.ts';
import { denoCommand } from './deno-command.ts';
import type { Jail } from './jail.ts';

/** Makes processes that run the bootstrap and will connect to a socket. */
export interface Launcher {
  /** Who has to reach the socket, where it is not the server's own user. */
  readonly uid?: number | undefined;
  launch(socketPath: string): ChildProcess;
}

export interface LauncherOptions {
  readonly deno: string;
  readonly memoryMb: number;
  readonly jail: Jail;
  /** A program with arguments that runs the command after it, such as `prlimit` with its flags. */
  readonly prefix: readonly string[];
}

// Not translated by the build: the same file in `src` and in `dist`.
const bootstrap = fileURLToPath(new URL('../bootstrap/main.js', import.meta.url));

export function createLauncher({ deno, memoryMb, jail, prefix }: LauncherOptions): Launcher {
  return {
    uid: jail.uid,
    launch(socketPath) {
      const command = jail.enter({ deno, bootstrap, socketPath }, (places) => denoCommand({ ...places, memoryMb }));
      const [file = '', ...rest] = [...prefix, command.file, ...command.arguments];
      const isWrapped = jail.level === 'unshare' || jail.level === 'bwrap';
      const child = startProcess({ file, arguments: rest }, { isWrapped });
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
