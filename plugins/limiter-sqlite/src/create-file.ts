import { mkdir, open } from 'node:fs/promises';
import { dirname } from 'node:path';

/** Create the file and the folders above it, for the eyes of their owner only, where they are missing. */
export async function createFile(file: string): Promise<void> {
  await mkdir(dirname(file), { recursive: true, mode: 0o700 });
  try {
    await (await open(file, 'wx', 0o600)).close();
  } catch (error) {
    // Never open and close a database that exists: closing drops the locks that SQLite holds for this process.
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
  }
}
