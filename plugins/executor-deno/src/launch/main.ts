// A helper process: starts the processes of executions, kills them, and waits for them. To start a process, the system
// copies the page tables of its parent: some milliseconds for a server of a few hundred megabytes, in which it would do
// nothing else. This one is small.

import { type ChildProcess, type SpawnOptions, spawn } from 'node:child_process';
import { once } from 'node:events';
import { rmSync } from 'node:fs';
import { connect, type Socket } from 'node:net';
import path from 'node:path';
import { ignoreSignals, killProcess } from '../system-process.ts';
import { denoEnvironment } from './deno-command.ts';
import { isHostFolder } from './host-folder.ts';
import type { LaunchReport, LaunchRequest } from './launch-helper.ts';

/** Where the server has its sockets: its own folder and no other, because it is removed with everything in it. */
const folders = new Set<string>();
const children = new Map<number, ChildProcess>();
const report = (message: LaunchReport): void => {
  process.send?.(message);
};

async function open(socketPath: string): Promise<Socket> {
  const socket = connect(socketPath);
  await once(socket, 'connect');
  return socket;
}

async function start({ id, command, socketPath }: Extract<LaunchRequest, { kind: 'start' }>): Promise<void> {
  const folder = path.dirname(socketPath);
  if (isHostFolder(folder, process.ppid)) folders.add(folder);
  const [out, error] = await Promise.all([open(socketPath), open(socketPath)]);
  const options: SpawnOptions = {
    ...(process.platform === 'win32' ? {} : { cwd: '/' }),
    env: { ...denoEnvironment },
    stdio: ['ignore', out, error],
    // The group is what is killed; on Windows the option would open a console window instead.
    detached: process.platform !== 'win32',
  };
  const child = spawn(command.file, [...command.arguments], options);
  out.destroy();
  error.destroy();
  child.once('error', ({ message }) => {
    if (child.pid === undefined) report({ kind: 'failed', id, message });
  });
  if (child.pid === undefined) return;
  children.set(id, child);
  child.once('exit', (code, signal) => {
    children.delete(id);
    report({ kind: 'ended', id, code, signal });
  });
  report({ kind: 'started', id, pid: child.pid });
}

ignoreSignals();

process.on('message', (request: LaunchRequest) => {
  if (request.kind === 'start') {
    start(request).catch((cause: unknown) => report({ kind: 'failed', id: request.id, message: String(cause) }));
    return;
  }
  if (request.kind === 'leave') process.exit(0);
  const child = children.get(request.id);
  if (child?.pid === undefined) return;
  killProcess({ pid: child.pid, isWrapped: request.isWrapped, isAlive: () => children.has(request.id) });
});
// The server ended without notice. What it ran ends with it, even if the system cannot ensure that itself.
process.on('disconnect', () => {
  for (const [id, { pid }] of children) {
    if (pid !== undefined) killProcess({ pid, isWrapped: true, isAlive: () => children.has(id) });
  }
  for (const folder of folders) rmSync(folder, { recursive: true, force: true });
  process.exit(0);
});
