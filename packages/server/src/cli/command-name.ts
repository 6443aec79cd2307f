import { accessSync, constants } from 'node:fs';
import { basename, delimiter, dirname, join, relative } from 'node:path';

/**
 * How the command is called from the terminal that this one was called from: by what is typed in any folder, by npx,
 * or by the path of its file.
 *
 * @param folder Where it is going to be called.
 * @param script What was called.
 */
export function commandName(env: NodeJS.ProcessEnv, folder = process.cwd(), script = process.argv[1] ?? ''): string {
  const isByNpx = env['npm_lifecycle_event'] !== undefined;
  if (isByNpx && (hasCommand(folder) || script.includes('_npx'))) return 'npx patchbay';
  // npx puts its folders in front.
  if (!isByNpx && (env['PATH'] ?? '').split(delimiter).some((each) => each !== '' && isThere(each))) return 'patchbay';
  if (hasCommand(folder)) return 'npx patchbay';
  const near = relative(folder, script);
  const shown = near.length < script.length ? near : script;
  const path = /^[\w./@+-]+$/.test(shown) ? shown : `'${shown}'`;
  return basename(script) === 'patchbay' ? path : `node ${path}`;
}

/** Whether npx finds it from a folder: in the packages of that one, or of one above. */
function hasCommand(folder: string): boolean {
  if (isThere(join(folder, 'node_modules/.bin'))) return true;
  return dirname(folder) !== folder && hasCommand(dirname(folder));
}

function isThere(folder: string): boolean {
  return ['patchbay', 'patchbay.cmd'].some((name) => {
    try {
      accessSync(join(folder, name), constants.X_OK);
      return true;
    } catch {
      return false;
    }
  });
}
