import { randomBytes } from 'node:crypto';
import { readFileSync, statSync } from 'node:fs';
import { mkdir, rename, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';

/** Folder in which `patchbay dev` leaves its key and address for commands that are run beside it. Not for git. */
const developmentFolder = '.patchbay';

const keyFile = 'development-key';
const serverFile = 'development-server.json';
const SECRET_BYTES = 32;

/** A server that `patchbay dev` runs in a folder. */
export interface DevelopmentServer {
  /** With the base path of functions. */
  readonly url: string;
  readonly pid: number;
  /** Whether it accepts the key of the folder. */
  readonly hasKey: boolean;
}

/**
 * The development key of a folder: created once, and readable by its owner only. Random, not the same for everyone,
 * because pages in the browser of a developer can reach servers on the same machine.
 */
export async function openDevelopmentKey(cwd: string): Promise<{ readonly key: string; readonly file: string }> {
  const folder = await openLocalFolder(cwd);
  const file = join(folder, keyFile);
  const known = readKey(file);
  if (known !== undefined) return { key: known, file };
  const key = `development_${randomBytes(SECRET_BYTES).toString('base64url')}`;
  await writeWhole(file, `${key}\n`);
  return { key, file };
}

/** Tell commands in this folder where the server is. @returns a function that undoes this. */
export async function announceServer(cwd: string, server: DevelopmentServer): Promise<() => Promise<void>> {
  const file = join(await openLocalFolder(cwd), serverFile);
  await writeWhole(file, `${JSON.stringify(server)}\n`);
  return async () => {
    if (readServer(file)?.pid === server.pid) await rm(file, { force: true });
  };
}

/** The server that `patchbay dev` runs in this folder right now, and the key that it accepts. */
export function findDevelopmentServer(
  cwd: string,
): { readonly url: string; readonly key: string | undefined } | undefined {
  const folder = join(cwd, developmentFolder);
  const server = readServer(join(folder, serverFile));
  // Someone else's folder must not send commands, and with them a key, to another machine.
  if (server === undefined || !isLocal(server.url) || !isAlive(server.pid)) return undefined;
  return { url: server.url, key: server.hasKey ? readKey(join(folder, keyFile)) : undefined };
}

/** The folder for what belongs to this machine, not in git. */
export async function openLocalFolder(cwd: string): Promise<string> {
  const folder = join(cwd, developmentFolder);
  await mkdir(folder, { recursive: true, mode: 0o700 });
  await writeFile(join(folder, '.gitignore'), '*\n');
  return folder;
}

/** Undefined if there is none, or if others can read it: such a key counts as disclosed. */
function readKey(file: string): string | undefined {
  const found = statSync(file, { throwIfNoEntry: false });
  if (found === undefined || (process.platform !== 'win32' && (found.mode & 0o077) !== 0)) return undefined;
  return /^development_[\w-]{43}$/.exec(readFileSync(file, 'utf8').trim())?.[0];
}

function readServer(file: string): DevelopmentServer | undefined {
  try {
    return JSON.parse(readFileSync(file, 'utf8')) as DevelopmentServer;
  } catch {
    return undefined;
  }
}

async function writeWhole(file: string, text: string): Promise<void> {
  const draft = `${file}.${process.pid}`;
  await rm(draft, { force: true });
  await writeFile(draft, text, { flag: 'wx', mode: 0o600 });
  await rename(draft, file);
}

function isLocal(url: string): boolean {
  const found = URL.parse(url);
  return found?.protocol === 'http:' && /^(127(\.\d+){3}|\[::1\]|localhost)$/.test(found.hostname);
}

function isAlive(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM';
  }
}
