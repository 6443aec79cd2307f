import { PatchbayError } from '@patchbay/core/plugin';
import { execa } from 'execa';
import { createJail, type Jail, type JailLevel, type JailPrograms, jailLevels, NOBODY } from './jail.ts';

export interface FindJailOptions {
  readonly deno: string;
  readonly level: JailLevel | 'auto';
  readonly least: JailLevel;
  readonly programs: JailPrograms;
}

export interface FoundJail<T> {
  readonly jail: Jail;
  /** What the attempt gave. */
  readonly value: T;
}

/**
 * The best jail that works here. Whether one does is found out by using it: kernels, containers and security modules
 * forbid parts of it in more ways than can be asked about.
 *
 * @param attempt Starts a process in the jail; rejects where that does not work.
 * @throws PatchbayError `plugin_start_failed` where none is good enough.
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

/** Nobody, where the server may become that; else, and where nobody cannot reach the files of Deno, the server's user. */
export function usersFor(level: JailLevel): readonly (number | undefined)[] {
  return level !== 'none' && process.getuid?.() === 0 ? [NOBODY, undefined] : [undefined];
}

async function librariesOf(deno: string, signal: AbortSignal): Promise<readonly string[]> {
  if (process.platform !== 'linux') return [];
  const { stdout } = await execa('ldd', [deno], { reject: false, stderr: 'ignore', cancelSignal: signal });
  return [...stdout.matchAll(/(?<file>\/\S+) \(0x/gu)].map(({ groups }) => groups?.['file'] ?? '');
}
