import { type FSWatcher, type Stats, statSync, watch } from 'node:fs';
import { basename, dirname } from 'node:path';

interface Watched {
  readonly watcher: FSWatcher;
  readonly inode: number;
  readonly bornMs: number;
  isStale: boolean;
}

/**
 * Watches folders. Events only wake the caller: changes must be read from the files, since events merge and get lost.
 *
 * @param onChange Something with this name was changed in a folder; no name if it may be anything.
 */
export function watchFolders(onChange: (folder: string, name: string | undefined) => void) {
  const watched = new Map<string, Watched>();

  const stop = (folder: string): void => {
    watched.get(folder)?.watcher.close();
    watched.delete(folder);
  };
  const start = (folder: string, { ino, birthtimeMs }: Stats): void => {
    const watcher = watch(folder);
    const state: Watched = { watcher, inode: ino, bornMs: birthtimeMs, isStale: false };
    watched.set(folder, state);
    const onEvent = (name: string | undefined): void => {
      // A removed folder reports its own name; a new one in its place would go unnoticed.
      if (name === undefined || name === basename(folder)) state.isStale = true;
      onChange(folder, name === basename(folder) ? undefined : name);
    };
    watcher.on('change', (_, name) => onEvent(name === null ? undefined : String(name)));
    watcher.on('error', () => onEvent(undefined));
  };
  return {
    /** Watch these folders from now on, and no others. A missing one is picked up when it appears. */
    set(folders: Iterable<string>): void {
      const wanted = new Map([...folders].map(nearest));
      for (const [folder, { inode, bornMs, isStale }] of watched) {
        const found = wanted.get(folder);
        if (isStale || found?.ino !== inode || found.birthtimeMs !== bornMs) stop(folder);
      }
      for (const [folder, found] of wanted) if (!watched.has(folder)) start(folder, found);
    },
    close(): void {
      for (const folder of watched.keys()) stop(folder);
    },
  };
}

/** A folder, or the nearest existing one above it. */
function nearest(folder: string): readonly [string, Stats] {
  const found = statSync(folder, { throwIfNoEntry: false });
  if (found?.isDirectory()) return [folder, found];
  return nearest(dirname(folder));
}

/** Editors write a file in several steps, and many files at once: this long, nothing more may arrive. */
const QUIET_MS = 50;

/**
 * Repeats some work, each time once everything is quiet, and never twice at the same time.
 *
 * @param onError Called when the work fails; it is repeated at the next wake-up.
 */
export function createSettler(work: () => Promise<void>, onError: (error: unknown) => void) {
  let timer: NodeJS.Timeout | undefined;
  let isClosed = false;
  let isWanted = false;
  let running: Promise<void> | undefined;

  const run = async (): Promise<void> => {
    isWanted = false;
    try {
      await work();
    } catch (error) {
      onError(error);
    }
    running = undefined;
    if (isWanted && !isClosed) later();
  };
  const later = (): void => {
    clearTimeout(timer);
    timer = setTimeout(() => {
      timer = undefined;
      running ??= run();
    }, QUIET_MS);
  };
  return {
    wake(): void {
      if (isClosed) return;
      isWanted = true;
      later();
    },
    /** Start nothing more. Resolves once nothing is in progress. */
    async close(): Promise<void> {
      isClosed = true;
      clearTimeout(timer);
      timer = undefined;
      await running;
    },
  };
}
