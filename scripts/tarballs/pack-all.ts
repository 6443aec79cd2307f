import { mkdir, readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { run } from './run.ts';

/** A package as it would be published. */
export interface Tarball {
  readonly name: string;
  readonly file: string;
  /** `.`, `./plugin`, … */
  readonly entries: readonly string[];
}

interface PackageJson {
  readonly name: string;
  readonly private?: boolean;
  readonly scripts?: Readonly<Record<string, string>>;
  readonly publishConfig?: { readonly exports?: Readonly<Record<string, unknown>> };
}

/** Pack every package that is not private. They must be compiled. */
export async function packAll(root: string, target: string): Promise<readonly Tarball[]> {
  await mkdir(target, { recursive: true });
  const tarballs: Tarball[] = [];
  for (const parent of ['packages', 'plugins']) {
    for (const folder of await readdir(join(root, parent))) {
      const path = join(root, parent, folder);
      const manifest = JSON.parse(await readFile(join(path, 'package.json'), 'utf8')) as PackageJson;
      if (manifest.private === true) continue;
      const script = Object.keys(manifest.scripts ?? {}).find((name) => /^(pre|post)?install$|^prepare$/.test(name));
      if (script !== undefined) throw new Error(`${manifest.name} has a script ${script}`);
      const [packed] = [JSON.parse(await run('pnpm', ['pack', '--json', '--pack-destination', target], path))].flat();
      const file = join(target, (packed as { filename: string }).filename.split('/').at(-1) ?? '');
      // The files behind a pattern are imported by the entries of the core.
      const isEntry = (path: string): boolean => !path.endsWith('.json') && !path.includes('*');
      const entries = Object.keys(manifest.publishConfig?.exports ?? {}).filter(isEntry);
      tarballs.push({ name: manifest.name, file, entries });
    }
  }
  return tarballs;
}
