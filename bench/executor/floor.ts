import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import type { Socket } from 'node:net';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { findDeno } from '../../plugins/executor-deno/src/explore-machine.ts';
import { denoCommand, denoEnvironment } from '../../plugins/executor-deno/src/launch/deno-command.ts';
import { findJail, type Jail, jailPrograms } from '../../plugins/executor-deno/src/launch/jail.ts';
import { openProcessSocket } from '../../plugins/executor-deno/src/launch/launch-helper.ts';

/** A process that waits in the same jail as those of the executor, with a minimal channel. */
export interface FloorSpare {
  /** Milliseconds from the request to the response. */
  run(code: string, input: unknown): Promise<number>;
  kill(): Promise<void>;
}

const child = path.join(import.meta.dirname, 'floor-child.js');

/** The jail that the executor would choose: the first that starts a Deno. */
export async function findFloorJail(): Promise<Jail> {
  const deno = findDeno();
  const options = { deno, level: 'auto', least: 'none', programs: jailPrograms } as const;
  const { jail } = await findJail(
    options,
    async (candidate) => {
      await (await openFloorSpare(candidate)).kill();
    },
    AbortSignal.timeout(20_000),
  );
  return jail;
}

export async function openFloorSpare(jail: Jail): Promise<FloorSpare> {
  const meeting = await openProcessSocket(tmpdir(), jail.uid);
  const connecting = new Promise<Socket>((resolve) => meeting.accept(resolve));
  const places = { deno: findDeno(), bootstrap: child, socketPath: meeting.socketPath };
  const command = jail.enter(places, (inside) => {
    // A jail has its own name for the module of the executor.
    const bootstrap = path.join(path.dirname(inside.bootstrap), path.basename(child));
    return denoCommand({ ...inside, bootstrap, memoryMb: 128 });
  });
  const spawned = spawn(command.file, [...command.arguments], {
    env: { ...denoEnvironment },
    cwd: '/',
    stdio: 'ignore',
    detached: true,
  });
  const exited = once(spawned, 'exit');
  const failed = exited.then(() => {
    throw new Error('the process ended before it was ready');
  });
  const socket = await Promise.race([connecting, failed]).catch(async (error: unknown) => {
    // Otherwise the socket that nothing connects to keeps the bench from ending.
    await meeting.close();
    throw error;
  });
  failed.catch(() => undefined);
  socket.resume();
  await once(socket, 'data');
  return {
    async run(code, input) {
      const start = performance.now();
      const url = `data:text/javascript;base64,${Buffer.from(code).toString('base64')}`;
      socket.write(`${JSON.stringify({ url, input })}\n`);
      await once(socket, 'data');
      return performance.now() - start;
    },
    async kill() {
      socket.destroy();
      if (spawned.exitCode === null && spawned.pid !== undefined) process.kill(-spawned.pid, 'SIGKILL');
      await exited;
      await meeting.close();
    },
  };
}

/** Resident memory of a process, shared pages counted in parts. Linux only. */
export function proportionalBytes(pids: readonly number[]): number {
  const text = execFileSync(
    'cat',
    pids.map((pid) => `/proc/${pid}/smaps_rollup`),
    { encoding: 'utf8' },
  );
  return [...text.matchAll(/^Pss:\s+(?<kb>\d+) kB$/gmu)].reduce(
    (sum, { groups }) => sum + Number(groups?.['kb']) * 1024,
    0,
  );
}
