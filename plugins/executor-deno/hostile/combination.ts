import type { DenoExecutorOptions } from '../src/deno-executor.ts';
import type { JailLevel } from '../src/launch/jail.ts';
import type { Wall } from './walls.ts';

/** Under what programs run. */
export interface Combination {
  /** `primed`: fresh, and code that ran often is loaded ahead. */
  readonly isolation: DenoExecutorOptions['isolation'] | 'primed';
  readonly jail: JailLevel | 'auto';
  readonly wall: Wall;
  /** `program`: as agents run code, see `ProgramSource`. */
  readonly form: 'function' | 'program';
  /** Files that every user of the machine may read are hidden: not so where `unshare` is the only wall. */
  readonly hidesSharedFiles: boolean;
}

export function combine(
  isolation: Combination['isolation'],
  jail: Combination['jail'],
  wall: Wall,
  form: Combination['form'] = 'function',
): Combination {
  return { isolation, jail, wall, form, hidesSharedFiles: wall !== 'jail' || jail === 'bwrap' };
}

/**
 * Why a combination proves nothing here; undefined where it does. Without namespaces, or with files of your own user
 * in sight, a program that Deno allows everything is a program like any other.
 */
export function reasonToSkip({ jail, wall }: Combination): string | undefined {
  if (wall !== 'jail' || jail === 'bwrap') return undefined;
  if (jail !== 'unshare') return 'no wall would be left';
  return process.getuid?.() === 0 ? undefined : 'a server that is not root cannot make its functions another user';
}

export const nameOf = ({ isolation, jail, wall, form }: Combination): string =>
  `${form === 'program' ? 'in code mode, ' : ''}${isolation}, jail ${jail}, ${wall}`;
