import { join } from 'node:path';

/**
 * What to type after a plugin was written. In a clone, the packages come from it: a registry need not have them, and has
 * not the same. `--no-save`, because what npm would write into package.json are paths of this machine.
 */
export function nextSteps(directory: string, clone: string | undefined): readonly string[] {
  if (clone === undefined) return [`cd ${quoted(directory)}`, 'npm install', 'npm test'];
  const packages = ['core', 'testing'].map((name) => `${quoted(join(clone, 'tarballs', `patchbay-${name}-`))}*.tgz`);
  return [
    `(cd ${quoted(clone)} && npm run tarballs)`,
    `cd ${quoted(directory)}`,
    `export PATH=${quoted(join(clone, 'node_modules', '.bin'))}:$PATH`,
    `npm install --no-save ${packages.join(' ')}`,
    'npm test',
  ];
}

function quoted(path: string): string {
  return /^[\w./@+:~-]+$/.test(path) ? path : `'${path.replaceAll("'", "'\\''")}'`;
}
