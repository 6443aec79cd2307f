import { existsSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

/** The clone of the repository that a module of this package lies in; undefined where the package was installed. */
export function cloneOf(module: string): string | undefined {
  const root = fileURLToPath(new URL('../../..', module)).replace(/[\\/]$/, '');
  return existsSync(fileURLToPath(new URL('../../../pnpm-workspace.yaml', module))) ? root : undefined;
}
