import { existsSync } from 'node:fs';
import { rm, writeFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { isDeepStrictEqual } from 'node:util';
import type { Action } from '../cli-context.ts';
import { exitCodes } from '../cli-failure.ts';
import { clientOf, urlOf } from '../remote.ts';
import { writeEditorTypes } from './editor-types.ts';
import { codeFiles, definitionFile, filesOf, makeFolder, promptFile, readLocalFunction } from './local-function.ts';
import type { SyncOptions } from './push.ts';
import { contentHashes, keyOf, listStored, named, readStored, type StoredState } from './stored-functions.ts';
import { openSyncedState } from './synced-state.ts';

/** Write the functions of the server into the folder, except those that were changed here since the last sync. */
export const pull: Action<SyncOptions, [names: readonly string[]]> = async (context, options, names) => {
  const { output, signal, command } = context;
  const client = clientOf(options, context);
  const dir = resolve(context.cwd, options.dir);
  const all = await listStored(client, signal);
  const chosen = names.length === 0 ? all : names.map((name) => named(all, name));
  const state = await openSyncedState(dir, urlOf(options, context));
  const taken = new Set<string>();
  let exitCode: number = exitCodes.ok;
  for (const { id, name } of chosen) {
    const key = keyOf(name) || id;
    const report = (outcome: string) =>
      output.result(options.json ? JSON.stringify({ key, name, id, outcome }) : `${outcome}  ${key}`);
    if (taken.has(key)) {
      output.note(`${id} is left out: another function has the key ${key}`);
      exitCode = exitCodes.failure;
      continue;
    }
    taken.add(key);
    const folder = join(dir, key);
    const local = existsSync(join(folder, definitionFile)) ? await readLocalFunction(folder) : undefined;
    const found = await readStored(client, id, signal, { labels: Object.keys(local?.labels ?? {}), schedules: true });
    // Without a file, an empty set of schedules counts as none.
    const hasSchedules = local?.schedules !== undefined || Object.keys(found.schedules ?? {}).length > 0;
    const stored = hasSchedules ? found : { ...found, schedules: undefined };
    const there = contentHashes(key, stored);
    const here = local && contentHashes(key, local);
    const isChanged = here !== undefined && [...here].some(([name, hash]) => hash !== state.hashOf(name));
    if (isDeepStrictEqual(here, there)) {
      state.note(there);
      report('unchanged');
    } else if (isChanged && !options.force) {
      report('changed here');
      const look = `${command} functions diff ${key}`;
      output.note(`  hint: look with "${look}", then push, or pull with --force`);
      exitCode = exitCodes.drift;
    } else {
      if (!options.dryRun) {
        await write(folder, stored);
        await writeEditorTypes({ folder, key, ...stored });
      }
      state.note(there);
      report(here === undefined ? 'created' : 'updated');
    }
  }
  if (!options.dryRun) await state.save();
  return exitCode;
};

async function write(folder: string, stored: StoredState): Promise<void> {
  await makeFolder(folder);
  const files = filesOf(stored);
  const isJavaScript = existsSync(join(folder, codeFiles[1]));
  for (const [file, text] of files) {
    await writeFile(join(folder, file === codeFiles[0] && isJavaScript ? codeFiles[1] : file), text);
  }
  if (!files.has(codeFiles[0])) for (const file of codeFiles) await rm(join(folder, file), { force: true });
  if (!files.has(promptFile)) await rm(join(folder, promptFile), { force: true });
}
