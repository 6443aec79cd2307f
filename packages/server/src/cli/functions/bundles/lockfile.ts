import { existsSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';

/** Hashes of packages by name and version. */
export interface Lockfile {
  /** Name of the file. */
  readonly file: string;
  /**
   * The hash of a package's archive. Undefined if the lockfile has none, as for packages of the same repository.
   *
   * @throws Error if the lockfile has other versions of the package, and not this one.
   */
  integrityOf(name: string, version: string): string | undefined;
}

interface LockedPackage {
  readonly name: string;
  readonly version: string;
  readonly integrity: string;
}

/** The lockfiles of npm, pnpm, Yarn 1 and Bun. Those of later versions of Yarn have no hashes of archives. */
const readers: Readonly<Record<string, (text: string) => readonly LockedPackage[]>> = {
  'npm-shrinkwrap.json': readNpm,
  'package-lock.json': readNpm,
  'pnpm-lock.yaml': readPnpm,
  'yarn.lock': readYarn,
  'bun.lock': readBun,
};

/** The lockfile of the project that a folder is in. */
export async function findLockfile(folder: string): Promise<Lockfile | undefined> {
  const file = Object.keys(readers).find((name) => existsSync(join(folder, name)));
  if (file !== undefined) return lockfileOf(file, readers[file]?.(await readFile(join(folder, file), 'utf8')) ?? []);
  const above = dirname(folder);
  return above === folder ? undefined : await findLockfile(above);
}

function lockfileOf(file: string, packages: readonly LockedPackage[]): Lockfile {
  const versions = new Map<string, Map<string, string>>();
  for (const { name, version, integrity } of packages) {
    const known = versions.get(name) ?? new Map<string, string>();
    versions.set(name, known.set(version, integrity));
  }
  return {
    file,
    integrityOf(name, version) {
      const known = versions.get(name);
      const integrity = known?.get(version);
      if (known === undefined || integrity !== undefined) return integrity;
      const locked = [...known.keys()].join(', ');
      throw new Error(`${name} ${version} is installed, and ${file} has ${locked}: install the packages again`);
    },
  };
}

function readNpm(text: string): readonly LockedPackage[] {
  const { packages = {} } = JSON.parse(text) as {
    readonly packages?: Readonly<Record<string, Partial<LockedPackage>>>;
  };
  return Object.entries(packages).flatMap(([place, { name, version, integrity }]) => {
    const own = name ?? place.split('node_modules/').at(-1) ?? '';
    return version !== undefined && integrity !== undefined ? [{ name: own, version, integrity }] : [];
  });
}

function readPnpm(text: string): readonly LockedPackage[] {
  const entries = text.matchAll(
    /^ {2}'?\/?((?:@[^/@\s]+\/)?[^@/\s']+)@([^\s'():]+)[^\n]*:\n {4}resolution: \{integrity: ([^,}\s]+)/gm,
  );
  return Array.from(entries, ([, name = '', version = '', integrity = '']) => ({ name, version, integrity }));
}

function readYarn(text: string): readonly LockedPackage[] {
  const entries = text.matchAll(
    /^"?((?:@[^/@\s]+\/)?[^@/\s"]+)@[^\n]*:\n {2}version "([^"]+)"\n(?: {2}resolved [^\n]*\n)? {2}integrity (\S+)/gm,
  );
  return Array.from(entries, ([, name = '', version = '', integrity = '']) => ({ name, version, integrity }));
}

function readBun(text: string): readonly LockedPackage[] {
  const entries = text.matchAll(/^ {4}"[^"]+": \["((?:@[^/@"]+\/)?[^@/"]+)@([^"]+)",.*"(sha512-[^"]+)"\],?$/gm);
  return Array.from(entries, ([, name = '', version = '', integrity = '']) => ({ name, version, integrity }));
}
