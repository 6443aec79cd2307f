import { readdirSync, readFileSync, rmSync, statSync } from 'node:fs';
import { chmod, mkdtemp, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { processFields } from '../system-process.ts';

const PREFIX = 'patchbay-';
const OWNER = 'owner';

/** The process that uses a folder, distinguished from later ones with the same id by its start time. */
interface Owner {
  readonly pid: number;
  readonly startedAt: string;
  /** Ids of processes mean something within a namespace only. */
  readonly namespace: string;
}

/**
 * A folder for the sockets of one host, whose owner is known even after a crash.
 *
 * @returns Its path. Other users can traverse it to a socket with a known name, but not list it.
 */
export async function createHostFolder(): Promise<string> {
  const folder = await mkdtemp(path.join(tmpdir(), PREFIX));
  await chmod(folder, 0o711);
  await writeFile(path.join(folder, OWNER), JSON.stringify(ownerOf(process.pid)), { mode: 0o600 });
  return folder;
}

/** Whether this very folder was made by `createHostFolder`, by the process with this id. */
export function isHostFolder(folder: string, pid: number): boolean {
  try {
    const owner: unknown = JSON.parse(readFileSync(path.join(folder, OWNER), 'utf8'));
    return path.basename(folder).startsWith(PREFIX) && isOwner(owner) && owner.pid === pid;
  } catch {
    return false;
  }
}

/**
 * Remove what killed hosts have left behind, and end the processes that still look for it.
 *
 * @returns How many folders there were.
 */
export function sweepHostFolders(): number {
  const [self, uid] = [ownerOf(process.pid), process.getuid?.()];
  // On other systems a process cannot be distinguished from another one with the same id.
  if (self === undefined || uid === undefined) return 0;
  const left = readdirSync(tmpdir())
    .filter((name) => name.startsWith(PREFIX))
    .map((name) => path.join(tmpdir(), name))
    .filter((folder) => isLeftBehind(folder, self.namespace, uid));
  if (left.length > 0) killUsersOf(left);
  for (const folder of left) rmSync(folder, { recursive: true, force: true });
  return left.length;
}

function isLeftBehind(folder: string, namespace: string, uid: number): boolean {
  try {
    // Every user can make a folder of this name.
    if (statSync(folder).uid !== uid) return false;
    const owner: unknown = JSON.parse(readFileSync(path.join(folder, OWNER), 'utf8'));
    if (!isOwner(owner) || owner.namespace !== namespace) return false;
    return ownerOf(owner.pid)?.startedAt !== owner.startedAt;
  } catch {
    return false;
  }
}

function isOwner(value: unknown): value is Owner {
  return typeof value === 'object' && value !== null && 'pid' in value && 'startedAt' in value && 'namespace' in value;
}

/** Undefined where there is no such process, and outside of Linux. */
function ownerOf(pid: number): Owner | undefined {
  const startedAt = processFields(pid)?.[19];
  return startedAt === undefined ? undefined : { pid, startedAt, namespace: `${statSync('/proc/self/ns/pid').ino}` };
}

/** Whatever was started for a folder names it in its command line. */
function killUsersOf(folders: readonly string[]): void {
  for (const pid of readdirSync('/proc').filter((name) => /^\d+$/u.test(name))) {
    try {
      const words = readFileSync(`/proc/${pid}/cmdline`, 'utf8');
      if (folders.some((folder) => words.includes(`${folder}/`))) process.kill(Number(pid), 'SIGKILL');
    } catch {
      // Gone since, or not ours.
    }
  }
}
