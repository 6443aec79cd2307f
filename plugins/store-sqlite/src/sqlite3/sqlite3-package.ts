import { createRequire } from 'node:module';
import { join } from 'node:path';

type Callback<T> = (error: Error | null, result: T) => void;

/** A prepared statement of the package `sqlite3`: the part that is used here. */
export interface Sqlite3Statement {
  all(parameters: readonly unknown[], done: Callback<readonly Readonly<Record<string, unknown>>[]>): void;
  run(parameters: readonly unknown[], done: (this: { readonly changes: number }, error: Error | null) => void): void;
  finalize(done: (error: Error | null) => void): void;
}

/** A connection of the package `sqlite3`: the part that is used here. SQLite works in a thread, and calls back. */
export interface Sqlite3Handle {
  prepare(sql: string, done: (error: Error | null) => void): Sqlite3Statement;
  close(done: (error: Error | null) => void): void;
}

export interface Sqlite3Package {
  readonly OPEN_READONLY: number;
  readonly OPEN_READWRITE: number;
  readonly Database: new (file: string, mode: number, opened: (error: Error | null) => void) => Sqlite3Handle;
}

/**
 * The package, from the folder of the config or from next to this plugin. It is in nobody's dependencies, because it
 * has to be compiled where it is installed.
 *
 * @throws Error that says what to install.
 */
export function loadSqlite3(directory: string): Sqlite3Package {
  let failure: unknown;
  for (const from of [join(directory, 'package.json'), import.meta.url]) {
    try {
      return createRequire(from)('sqlite3') as Sqlite3Package;
    } catch (error) {
      // What is there and does not load says more than that it is not in the other place either.
      if (failure === undefined || (error as NodeJS.ErrnoException).code !== 'MODULE_NOT_FOUND') failure = error;
    }
  }
  throw new Error('driver: sqlite3 needs the package sqlite3, which cannot be loaded: npm install sqlite3@6.0.1', {
    cause: failure,
  });
}
