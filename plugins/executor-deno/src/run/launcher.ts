import { fileURLToPath } from 'node:url';
import { type ChildProcess, startProcess } from './child-process.ts';
import { denoCommand } from './deno-command.ts';

/** Makes processes that run the bootstrap and will connect to a socket. */
export interface Launcher {
  launch(socketPath: string): ChildProcess;
}

export interface LauncherOptions {
  readonly deno: string;
  readonly memoryMb: number;
  /** A program with arguments that runs the command after it, such as `setpriv` with its flags. */
  readonly prefix: readonly string[];
}

// Not translated by the build: the same file in `src` and in `dist`.
const bootstrap = fileURLToPath(new URL('../bootstrap/main.js', import.meta.url));

export function createLauncher({ deno, memoryMb, prefix }: LauncherOptions): Launcher {
  return {
    launch(socketPath) {
      const command = denoCommand({ deno, bootstrap, socketPath, memoryMb });
      const [file = '', ...rest] = [...prefix, command.file, ...command.arguments];
      return startProcess({ file, arguments: rest });
    },
  };
}
