import path from 'node:path';
import { PatchbayError } from '@patchbay/core/plugin';
import { askProgram } from './ask-program.ts';
import type { Command } from './deno-command.ts';

/** From the weakest to the strongest. */
export const jailLevels = ['none', 'setpriv', 'unshare', 'bwrap'] as const;
export type JailLevel = (typeof jailLevels)[number];

/** The paths that a process must reach, as it sees them. */
export interface Places {
  readonly deno: string;
  readonly bootstrap: string;
  readonly socketPath: string;
}

/** The wall around a process, beside Deno's permissions. */
export interface Jail {
  readonly level: JailLevel;
  /** User and group of the process, where they are not the server's. */
  readonly uid?: number | undefined;
  /** Wrap a command, which uses the paths inside, in the jail. */
  enter(places: Places, command: (inside: Places) => Command): Command;
}

/** The programs, by the level that needs them. */
export const jailPrograms = { setpriv: 'setpriv', unshare: 'unshare', bwrap: 'bwrap' } as const;
export type JailPrograms = Readonly<Record<keyof typeof jailPrograms, string>>;

export interface JailOptions {
  /** Defaults to the server's. */
  readonly uid?: number | undefined;
  /** Files that Deno is loaded with, by their absolute paths; for `bwrap`. */
  readonly libraries: readonly string[];
  readonly programs: JailPrograms;
}

/** No user of the system owns anything as this one. */
export const NOBODY = 65_534;

/**
 * A jail of a level, whether it works here or not.
 *
 * `setpriv` comes first in all of them: the process dies with the server, never gains privileges, has no capabilities,
 * and is user 65534 where the server may decide that. A new user namespace alone would rename the server's user, and leave
 * it what it may do to files.
 */
export function createJail(level: JailLevel, { uid, libraries, programs }: JailOptions): Jail {
  const drop = [
    programs.setpriv,
    '--pdeathsig',
    'KILL',
    '--no-new-privs',
    '--bounding-set',
    '-all',
    '--inh-caps',
    '-all',
    ...(uid === undefined ? [] : ['--reuid', `${uid}`, '--regid', `${uid}`, '--clear-groups']),
    '--',
  ];
  switch (level) {
    case 'none':
      return { level, enter: (places, command) => command(places) };
    case 'setpriv':
      return { level, uid, enter: (places, command) => after(drop, command(places)) };
    case 'unshare': {
      const unshare = [...drop, programs.unshare, ...NAMESPACES, '--'];
      return { level, uid, enter: (places, command) => after(unshare, command(places)) };
    }
    case 'bwrap':
      return {
        level,
        uid,
        enter: (places, command) => after([...drop, programs.bwrap, ...bubble(places, libraries)], command(INSIDE)),
      };
  }
}

const after = ([file = '', ...rest]: readonly string[], command: Command): Command => ({
  file,
  arguments: [...rest, command.file, ...command.arguments],
});

const NAMESPACES = [
  `--map-user=${NOBODY}`,
  `--map-group=${NOBODY}`,
  '--net',
  '--ipc',
  '--uts',
  '--pid',
  '--mount-proc',
  '--fork',
  '--kill-child=KILL',
];

const INSIDE: Places = {
  deno: '/patchbay/deno',
  bootstrap: '/patchbay/bootstrap/main.js',
  socketPath: '/patchbay/socket/s',
};

/** A read-only root folder that contains only what the process needs. */
function bubble(places: Places, libraries: readonly string[]): readonly string[] {
  const binds: readonly (readonly [string, string])[] = [
    ...libraries.map((library) => [library, library] as const),
    [places.deno, INSIDE.deno],
    [path.dirname(places.bootstrap), path.dirname(INSIDE.bootstrap)],
    [places.socketPath, INSIDE.socketPath],
  ];
  return [
    '--unshare-all',
    '--die-with-parent',
    '--cap-drop',
    'ALL',
    '--uid',
    `${NOBODY}`,
    '--gid',
    `${NOBODY}`,
    ...binds.flatMap(([outside, inside]) => ['--ro-bind', outside, inside]),
    // There is no /proc. Modules of Node.js look up the program there, and without it Deno would exit.
    '--symlink',
    INSIDE.deno,
    '/proc/self/exe',
    '--remount-ro',
    '/',
    '--chdir',
    '/',
    '--',
  ];
}

export interface FindJailOptions {
  readonly deno: string;
  readonly level: JailLevel | 'auto';
  readonly least: JailLevel;
  readonly programs: JailPrograms;
}

export interface FoundJail<T> {
  readonly jail: Jail;
  /** The result of the attempt. */
  readonly value: T;
}

/**
 * The strongest jail that works here. Whether one does is determined by trying it: kernels, containers and security
 * modules forbid parts of it in more ways than can be queried.
 *
 * @param attempt Starts a process in the jail; rejects where that does not work.
 * @throws PatchbayError `plugin_start_failed` if none is strong enough.
 */
export async function findJail<T>(
  options: FindJailOptions,
  attempt: (jail: Jail) => Promise<T>,
  signal: AbortSignal,
): Promise<FoundJail<T>> {
  const { deno, level, least, programs } = options;
  const libraries = await librariesOf(deno, signal);
  const wanted = level === 'auto' ? jailLevels.toReversed() : [level];
  const allowed = wanted.filter((name) => jailLevels.indexOf(name) >= jailLevels.indexOf(least));
  const [highest] = wanted;
  if (allowed.length === 0) {
    throw new PatchbayError('plugin_start_failed', `The jail "${highest}" is below "${least}", which minJail demands`);
  }
  let cause: unknown;
  for (const name of allowed) {
    for (const uid of usersFor(name)) {
      const jail = createJail(name, { uid, libraries, programs });
      try {
        return { jail, value: await attempt(jail) };
      } catch (error) {
        signal.throwIfAborted();
        cause = error;
      }
    }
  }
  if (allowed.at(-1) === 'none') throw cause;
  const tried = allowed.length === 1 ? `The jail "${allowed[0]}" does` : `The jails ${allowed.join(', ')} do`;
  throw new PatchbayError('plugin_start_failed', `${tried} not work on this machine. ${HOW_TO_GET}`, { cause });
}

export const HOW_TO_GET =
  'For the best one install bubblewrap (Debian and Ubuntu: apt-get install bubblewrap), and allow user namespaces';

/** User 65534 if the server may become it and it can reach the files of Deno; otherwise the server's user. */
export function usersFor(level: JailLevel): readonly (number | undefined)[] {
  return level !== 'none' && process.getuid?.() === 0 ? [NOBODY, undefined] : [undefined];
}

async function librariesOf(deno: string, signal: AbortSignal): Promise<readonly string[]> {
  if (process.platform !== 'linux') return [];
  const { text } = await askProgram(['ldd', deno], { signal });
  return [...text.matchAll(/(?<file>\/\S+) \(0x/gu)].map(({ groups }) => groups?.['file'] ?? '');
}
