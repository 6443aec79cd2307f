import { readdirSync, rmSync, statSync, utimesSync, writeFileSync } from 'node:fs';

/** Files that no program may read, change or remove. */
export interface CanaryFiles {
  /** Events since they were planted. */
  check(): readonly string[];
  remove(): void;
}

export interface CanaryFile {
  readonly path: string;
  readonly text: string;
  readonly mode: number;
  /** False where a program may read it. */
  readonly isHidden: boolean;
}

const rewind = (path: string): void => utimesSync(path, 0, statSync(path).mtime);

/** Plant files. That one was read shows in its time of access, which starts long before its time of change. */
export function plantFiles(files: readonly CanaryFile[], folders: readonly string[]): CanaryFiles {
  for (const { path, text, mode } of files) {
    writeFileSync(path, text, { mode });
    rewind(path);
  }
  const stateOf = (file: CanaryFile): string => {
    const stat = statSync(file.path, { throwIfNoEntry: false });
    if (stat === undefined) return 'gone';
    const read = file.isHidden ? stat.atimeMs : '';
    return [stat.ino, stat.size, stat.mode, stat.uid, stat.nlink, stat.mtimeMs, stat.ctimeMs, read].join(' ');
  };
  const listing = (folder: string): string => readdirSync(folder).toSorted().join();
  const planted = files.map((file) => stateOf(file));
  const listings = folders.map((folder) => listing(folder));
  return {
    check: () => [
      ...files.flatMap((file, index) => {
        const state = stateOf(file);
        const before = planted[index];
        if (state === before) return [];
        // Restore it, so that the next change is found as well.
        if (state !== 'gone') rewind(file.path);
        planted[index] = stateOf(file);
        return [`${file.path} was touched: ${before} became ${state}`];
      }),
      ...folders.flatMap((folder, index) => {
        const [before, now] = [listings[index], listing(folder)];
        listings[index] = now;
        return now === before ? [] : [`${folder} holds ${now} instead of ${before}`];
      }),
    ],
    remove() {
      for (const { path } of files) rmSync(path, { force: true });
    },
  };
}
