import type { ChildProcess } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { inspect } from 'node:util';
import { type Searched, searched } from './searched.ts';

/** Search what an app responded if there is no socket between the test and the app. */
export function searchAnswer(text: string, headers: Iterable<readonly [string, string]> = []): void {
  if (!searched.hasSubscribers) return;
  const head = [...headers].map(([name, value]) => `${name}: ${value}\n`).join('');
  publish({ kind: 'answer', place: 'an answer', bytes: Buffer.from(head + text) });
}

/** Search an entry of a log, with the causes of its errors. */
export function searchLogEntry(message: string, fields?: object): void {
  if (!searched.hasSubscribers) return;
  const text = `${message} ${fields ? inspect(fields, { depth: 20, maxStringLength: null, maxArrayLength: null }) : ''}`;
  publish({ kind: 'log', place: 'the log', bytes: Buffer.from(text) });
}

/**
 * Search the output of a server process and, once it has ended, every file it has left in a folder except its config
 * and its root secret.
 */
export function searchProcess(child: ChildProcess, folder: string): void {
  if (!searched.hasSubscribers) return;
  const said: Buffer[] = [];
  for (const stream of [child.stdout, child.stderr]) stream?.on('data', (chunk: Buffer) => said.push(chunk));
  // Before waiting callers continue and remove the folder.
  child.prependOnceListener('exit', () => searchFolder(folder));
  child.prependOnceListener('close', () => {
    publish({ kind: 'log', place: 'what a process said', bytes: Buffer.concat(said) });
  });
}

/** Search every file of a folder except config files and the root secret, which the operator keeps there. */
export function searchFolder(folder: string): void {
  const files = present(() => readdirSync(folder, { recursive: true, withFileTypes: true })) ?? [];
  for (const entry of files) {
    if (!entry.isFile() || /^patchbay\.config\.|^secret$/.test(entry.name)) continue;
    const path = join(entry.parentPath, entry.name);
    const bytes = present(() => readFileSync(path));
    if (bytes) publish({ kind: 'file', place: path.slice(folder.length + 1), bytes });
  }
}

/** Undefined for a file that is gone: helpers of killed processes clean up meanwhile. */
function present<T>(read: () => T): T | undefined {
  try {
    return read();
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
    throw error;
  }
}

/** Exclude the responses of this server from the search: it plays an upstream, or is a browser, and may repeat what it received. */
export function isUpstream(url: string): void {
  publish({ kind: 'upstream', port: Number(new URL(url).port) });
}

function publish(message: Searched): void {
  searched.publish(message);
}
