import childProcess from 'node:child_process';
import { readFileSync } from 'node:fs';
import { syncBuiltinESMExports } from 'node:module';
import { fileURLToPath } from 'node:url';
import threads, { type WorkerOptions } from 'node:worker_threads';

// Imported in a process of tests, or of a server that they start: the threads and helpers that it starts by the place of their source
// come from the bundle beside this module.

/** Files of the bundle, by their sources. */
const programs = JSON.parse(readFileSync(new URL('./programs.json', import.meta.url), 'utf8')) as Readonly<
  Record<string, string>
>;
const placeOf = (file: string): string => programs[file] ?? file;

const spawn = childProcess.spawn as (file: string, ...rest: readonly unknown[]) => childProcess.ChildProcess;

function spawnFromBundle(file: string, ...[first, ...rest]: readonly unknown[]): childProcess.ChildProcess {
  // A program is an argument of Node, which may itself be one of a jail.
  return spawn(file, Array.isArray(first) ? first.map((each) => placeOf(String(each))) : first, ...rest);
}

class WorkerFromBundle extends threads.Worker {
  constructor(file: string | URL, options?: WorkerOptions) {
    super(file instanceof URL && file.protocol === 'file:' ? placeOf(fileURLToPath(file)) : file, options);
  }
}

Object.assign(childProcess, { spawn: spawnFromBundle });
Object.assign(threads, { Worker: WorkerFromBundle });
syncBuiltinESMExports();
