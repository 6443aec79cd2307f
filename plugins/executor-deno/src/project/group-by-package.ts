import { createHash } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import path from 'node:path';

/** A package, and the part of it that is in a module. */
export interface PackageFiles {
  readonly name: string;
  readonly version: string;
  /** Bytes of the module that come from it. */
  readonly bytes: number;
  /** SHA-512 of its files in the module, in Base64: of their paths and contents, in the order of the paths. */
  readonly hash: string;
}

interface Manifest {
  readonly name: string;
  readonly version: string;
  readonly folder: string;
}

/** @param inputs Bytes in the module by the absolute path of each file. */
export async function groupByPackage(inputs: ReadonlyMap<string, number>): Promise<readonly PackageFiles[]> {
  const manifests = new Map<string, Promise<Manifest | undefined>>();
  const groups = new Map<string, { manifest: Manifest; bytes: number; files: string[] }>();
  for (const [file, bytes] of inputs) {
    const manifest = await manifestOf(path.dirname(file), manifests);
    if (manifest === undefined) continue;
    const group = groups.get(manifest.folder) ?? { manifest, bytes: 0, files: [] };
    groups.set(manifest.folder, group);
    group.bytes += bytes;
    group.files.push(file);
  }
  const packages = await Promise.all(
    [...groups.values()].map(async ({ manifest: { name, version, folder }, bytes, files }) => {
      return { name, version, bytes, hash: await hashOf(files, folder) };
    }),
  );
  return packages.toSorted((a, b) => b.bytes - a.bytes || (a.name < b.name ? -1 : 1));
}

/** The nearest manifest with a name and a version: packages have others inside, which only say what kind of modules these are. */
function manifestOf(folder: string, known: Map<string, Promise<Manifest | undefined>>): Promise<Manifest | undefined> {
  const found = known.get(folder) ?? readManifest(folder, known);
  known.set(folder, found);
  return found;
}

async function readManifest(
  folder: string,
  known: Map<string, Promise<Manifest | undefined>>,
): Promise<Manifest | undefined> {
  const text = await readFile(path.join(folder, 'package.json'), 'utf8').catch(() => '{}');
  const { name, version } = parse(text);
  if (typeof name === 'string' && typeof version === 'string') return { name, version, folder };
  const above = path.dirname(folder);
  return above === folder ? undefined : await manifestOf(above, known);
}

function parse(text: string): { readonly name?: unknown; readonly version?: unknown } {
  try {
    return Object(JSON.parse(text)) as object;
  } catch {
    return {};
  }
}

async function hashOf(files: readonly string[], folder: string): Promise<string> {
  const hash = createHash('sha512');
  for (const file of files.toSorted()) {
    const name = path.relative(folder, file).replaceAll(path.sep, '/');
    const content = await readFile(file);
    hash.update(`${name}\n${content.length}\n`).update(content);
  }
  return hash.digest('base64');
}
