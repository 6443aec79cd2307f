import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { readIfThere } from './read-yaml.ts';

type Servers = Record<string, Record<string, string>>;

export type SyncedState = Awaited<ReturnType<typeof openSyncedState>>;

/** Hashes, by key, of the contents that were last pulled from or pushed to each server. Belongs to one checkout, not in git. */
export async function openSyncedState(dir: string, url: string) {
  const folder = join(dir, '.patchbay');
  const file = join(folder, 'synced.json');
  const all = parse(await readIfThere(file));
  const own: Record<string, string> = { ...all[url] };
  return {
    hashOf: (key: string): string | undefined => (Object.hasOwn(own, key) ? own[key] : undefined),
    note(hashes: ReadonlyMap<string, string>): void {
      for (const [key, hash] of hashes) own[key] = hash;
    },
    async save(): Promise<void> {
      await mkdir(folder, { recursive: true });
      await writeFile(join(folder, '.gitignore'), '*\n');
      await writeFile(file, `${JSON.stringify({ ...all, [url]: own }, undefined, 2)}\n`);
    },
  };
}

/** A file that cannot be read means that nothing is known. */
function parse(text: string | undefined): Servers {
  try {
    return text === undefined ? {} : (JSON.parse(text) as Servers);
  } catch {
    return {};
  }
}
