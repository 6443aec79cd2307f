import { createTwoFilesPatch } from 'diff';
import type { Action } from '../cli-context.ts';
import { counted } from '../counted.ts';
import { exitCodes } from '../exit-codes.ts';
import { clientOf, type RemoteOptions } from '../remote.ts';
import { findLocal } from './find-local.ts';
import { withName } from './find-stored.ts';
import { filesOf } from './function-files.ts';
import { contentHash, listStored, readStored } from './stored-functions.ts';

/** Show what `push` would change on the server. Exit code 5 where it would change anything. */
export const diff: (keys: readonly string[]) => Action<RemoteOptions & { readonly dir: string }> =
  (keys) => async (context, options) => {
    const { output, signal } = context;
    const client = clientOf(options, context);
    const all = await listStored(client, signal);
    let differences = 0;
    for (const { key, body } of await findLocal(context, options.dir, keys)) {
      const found = withName(all, body.name);
      const stored = found && (await readStored(client, found.id, signal));
      if (stored && contentHash(stored.body) === contentHash(body)) continue;
      differences += 1;
      const [there, here] = [stored ? filesOf(stored.body) : new Map<string, string>(), filesOf(body)];
      const files = [...new Set([...there.keys(), ...here.keys()])].filter(
        (file) => there.get(file) !== here.get(file),
      );
      if (options.json) {
        output.result(JSON.stringify({ key, name: body.name, isStored: stored !== undefined, files }));
        continue;
      }
      for (const file of files) {
        const names = [`server/${key}/${file}`, `local/${key}/${file}`] as const;
        const patch = createTwoFilesPatch(...names, there.get(file) ?? '', here.get(file) ?? '');
        output.result(patch.replace(/^=+\n/, '').trimEnd());
      }
    }
    output.note(differences === 0 ? 'no differences' : counted(differences, 'function differs', 'functions differ'));
    return differences === 0 ? exitCodes.ok : exitCodes.drift;
  };
