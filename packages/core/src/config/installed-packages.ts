import { readdirSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';

/** Names of the packages that can be imported from these folders: to find the one that was meant. */
export function installedPackages(folders: readonly string[]): string[] {
  const roots = folders.flatMap((folder) => {
    const parent = folder.startsWith('file:') ? folder : join(folder, 'patchbay.config.js');
    return createRequire(parent).resolve.paths('package') ?? [];
  });
  const names = [...new Set(roots)].flatMap((root) =>
    namesIn(root).flatMap((name) =>
      name.startsWith('@') ? namesIn(join(root, name)).map((inner) => `${name}/${inner}`) : [name],
    ),
  );
  // A package can be within reach in several folders; an import takes the first.
  return [...new Set(names)];
}

function namesIn(folder: string): string[] {
  try {
    return readdirSync(folder).filter((name) => !name.startsWith('.'));
  } catch {
    return [];
  }
}
