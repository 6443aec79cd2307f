import type { DenoExecutorOptions } from '../deno-executor.ts';
import type { JailLevel } from '../run/jail.ts';
import type { Wall } from './walls.ts';

/** Under what programs run. */
export interface Combination {
  /** `primed`: fresh, and code that ran often is loaded ahead. */
  readonly isolation: DenoExecutorOptions['isolation'] | 'primed';
  readonly jail: JailLevel | 'auto';
  readonly wall: Wall;
  /** Files that every user of the machine may read are hidden: not so where `unshare` is the only wall. */
  readonly hidesSharedFiles: boolean;
}

export function combine(isolation: Combination['isolation'], jail: Combination['jail'], wall: Wall): Combination {
  return { isolation, jail, wall, hidesSharedFiles: wall !== 'jail' || jail === 'bwrap' };
}

export const nameOf = ({ isolation, jail, wall }: Combination): string => `${isolation}, jail ${jail}, ${wall}`;
