import { mkdir } from 'node:fs/promises';
import { dirname } from 'node:path';

/**
 * Make a folder and those above it. Node's own way does not come back where the system says of a folder that is there
 * that it is not, as `/proc` does.
 *
 * @param mode Of each folder that is made.
 * @returns whether the folder was not there
 */
export async function makeFolder(folder: string, mode = 0o777): Promise<boolean> {
  try {
    return await makeOne(folder, mode);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT' || dirname(folder) === folder) throw error;
    await makeFolder(dirname(folder), mode);
    return await makeOne(folder, mode);
  }
}

async function makeOne(folder: string, mode: number): Promise<boolean> {
  try {
    await mkdir(folder, { mode });
    return true;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'EEXIST') return false;
    throw error;
  }
}
