import { readFile } from 'node:fs/promises';
import { dirname, join, resolve } from 'node:path';
import type { Source } from '../source/source.ts';
import { SourceError } from '../source/source-node.ts';

/** A file that a configuration names. */
export interface SourceFile {
  /** Its name in reported positions. */
  readonly name: string;
  readonly text: string;
}

/** Reads the files that a configuration names, relative to the file that names them. */
export type ReadSourceFile = (named: Source) => Promise<SourceFile>;

/** @param folder The folder to which reported positions are relative. */
export function createReadSourceFile(folder: string): ReadSourceFile {
  return async (named) => {
    const name = nextTo(named, String(named.take()));
    return { name, text: await readText(name, folder, named.place) };
  };
}

/** @throws SourceError with the position that names the file. */
export async function readText(name: string, folder: string, place: string): Promise<string> {
  try {
    return await readFile(resolve(folder, name), 'utf8');
  } catch (error) {
    throw new SourceError(`${place} ${name} cannot be read: ${(error as NodeJS.ErrnoException).code}`);
  }
}

/** A path relative to the file that contains a value. */
export function nextTo({ place }: Source, path: string): string {
  return path.startsWith('/') ? path : join(dirname(place.replace(/:\d+:\d+$/, '')), path);
}
