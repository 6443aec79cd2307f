import path from 'node:path';
import ts from 'typescript-api';
import type { InstalledPackage } from '../translate/packages.ts';

const ROOT = '/node_modules';

/**
 * The files of packages as the compiler sees them, in a `node_modules` at the root of a file system that has nothing
 * else: declarations, manifests, and nothing that a path leads to outside of the package.
 */
export class PackageFiles {
  #folders: ReadonlyMap<string, string> = new Map();

  mount(packages: readonly InstalledPackage[]): void {
    this.#folders = new Map(packages.map(({ name, folder }) => [`${ROOT}/${name}`, folder]));
  }

  has(file: string): boolean {
    const found = this.#find(file);
    return found !== undefined && ts.sys.fileExists(found);
  }

  hasFolder(folder: string): boolean {
    if (folder === ROOT) return this.#folders.size > 0;
    const isAbove = [...this.#folders.keys()].some((mounted) => mounted.startsWith(`${folder}/`));
    const found = this.#find(folder);
    return isAbove || (found !== undefined && ts.sys.directoryExists(found));
  }

  read(file: string): string | undefined {
    const found = /\.(?:json|[cm]?ts|tsx|[cm]?js)$/u.test(file) ? this.#find(file) : undefined;
    return found === undefined ? undefined : ts.sys.readFile(found);
  }

  #find(place: string): string | undefined {
    const normal = path.posix.normalize(place);
    for (const [mounted, folder] of this.#folders) {
      if (normal === mounted) return folder;
      if (normal.startsWith(`${mounted}/`)) return path.join(folder, normal.slice(mounted.length));
    }
    return undefined;
  }
}
