import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { run } from './run.ts';

/** The files that a package would be published with, by path, with their text. */
export async function packedFiles(folder: string): Promise<ReadonlyMap<string, string>> {
  const [packed] = [JSON.parse(await run('pnpm', ['pack', '--dry-run', '--json'], folder))].flat();
  const { files } = packed as { readonly files: readonly { readonly path: string }[] };
  return new Map(
    files.map(({ path }) => {
      const file = join(folder, path);
      // The licence is that of the repository.
      return [path, existsSync(file) ? readFileSync(file, 'utf8') : ''];
    }),
  );
}
