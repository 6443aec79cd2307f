import { mkdir, stat } from 'node:fs/promises';
import { dirname } from 'node:path';

/**
 * Make a folder and those above it, where they are not there. Node's own way does not come back from a file system that
 * takes no folders, such as `/proc`.
 */
export async function makeFolder(folder: string): Promise<void> {
  const isThere = await stat(folder).then(
    () => true,
    ({ code }: NodeJS.ErrnoException) => code !== 'ENOENT',
  );
  if (isThere) return;
  await makeFolder(dirname(folder));
  await mkdir(folder).catch((error: NodeJS.ErrnoException) => {
    if (error.code !== 'EEXIST') throw error;
  });
}
