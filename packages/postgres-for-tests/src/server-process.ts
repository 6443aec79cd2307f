import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { rmSync } from 'node:fs';
import { join } from 'node:path';
import type { Account } from './account.ts';
import { makeDataFolder } from './data-folder.ts';
import { holdProcesses, killProcesses } from './hold-processes.ts';

export interface ServerProcessOptions {
  readonly programs: string;
  readonly root: string;
  readonly account: Account | undefined;
  /** Settings of `postgresql.conf`. */
  readonly settings: Readonly<Record<string, string>>;
}

/** A database folder and the process that serves it, through a socket within `root`. */
export class ServerProcess {
  readonly #options: ServerProcessOptions;
  #child: ChildProcess | undefined;

  constructor(options: ServerProcessOptions) {
    this.#options = options;
    makeDataFolder(options);
  }

  async start(): Promise<void> {
    const settings = Object.entries(this.#options.settings).flatMap(([name, value]) => ['-c', `${name}=${value}`]);
    const child = spawn(this.#program('postgres'), ['-D', this.#data, '-k', this.#options.root, ...settings], {
      ...this.#spawnOptions(),
      // Out of reach of Ctrl-C: the janitor ends it.
      detached: true,
      stdio: ['ignore', 'ignore', 'pipe'],
    });
    this.#child = child;
    await ready(child);
    child.unref();
    (child.stderr as unknown as { unref(): void }).unref();
  }

  /** End it: `SIGINT` breaks connections and shuts down gracefully, `SIGKILL` is a crash of all its processes. */
  async end(signal: 'SIGINT' | 'SIGKILL'): Promise<void> {
    const child = this.#child;
    this.#child = undefined;
    if (child === undefined || child.exitCode !== null || child.signalCode !== null) return;
    child.ref();
    (child.stderr as unknown as { ref(): void }).ref();
    // All its processes write to one pipe. Survivors of the first keep its shared memory, and no server starts beside them.
    const gone = once(child, 'close');
    if (signal === 'SIGKILL') killProcesses(child.pid ?? 0);
    else child.kill(signal);
    await gone;
    // After a crash its pid may be reused by another process.
    rmSync(join(this.#data, 'postmaster.pid'), { force: true });
  }

  /** Hold every process of the server, so that it neither responds nor hangs up, or let them continue. */
  hold(held: boolean): void {
    const pid = this.#child?.pid;
    if (pid !== undefined) holdProcesses(pid, held);
  }

  get #data(): string {
    return join(this.#options.root, 'data');
  }

  #program(name: string): string {
    return join(this.#options.programs, 'bin', name);
  }

  #spawnOptions() {
    const { account, root } = this.#options;
    return { ...account, cwd: root, env: { PATH: process.env['PATH'] ?? '', LC_ALL: 'C', TZ: 'UTC' } };
  }
}

async function ready(child: ChildProcess): Promise<void> {
  let log = '';
  await new Promise<void>((resolve, reject) => {
    child.stderr?.on('data', (data: Buffer) => {
      // Its end: connection attempts during recovery add any number of lines.
      log = (log + data.toString()).slice(-20_000);
      if (log.includes('ready to accept connections')) resolve();
    });
    child.once('error', reject);
    child.once('exit', (code, signal) => reject(new Error(`postgres ended with ${code ?? signal}\n${log}`)));
  });
}
