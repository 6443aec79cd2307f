import { accessSync, constants, existsSync, readFileSync, realpathSync } from 'node:fs';
import { basename, delimiter, dirname, join, relative } from 'node:path';

const commandNames = ['patchbay', 'patchbay.cmd'];

/**
 * How the command is called from the terminal that this one was called from: by its name in any folder, by npx,
 * by its link in the packages that it belongs to, or by its file, on the current Node.
 *
 * @param folder Where it will be called.
 * @param script What was called.
 */
export function commandName(
  env: NodeJS.ProcessEnv,
  folder = process.cwd(),
  script = process.argv[1] ?? '',
  { execPath, execArgv }: Pick<NodeJS.Process, 'execPath' | 'execArgv'> = process,
): string {
  const isByNpx = env['npm_lifecycle_event'] !== undefined;
  if (isByNpx && (linkAbove(folder) || script.includes('_npx'))) return 'npx patchbay';
  const path = (env['PATH'] ?? '').split(delimiter).filter((each) => each !== '');
  // npx puts its folders in front.
  if (!isByNpx && path.some(commandIn)) return 'patchbay';
  if (linkAbove(folder)) return 'npx patchbay';
  const typed = (file: string): string => quoted(shorter(relative(folder, file), file));
  const isNodeOnPath = isSame(fileIn(path, ['node', 'node.exe']), execPath);
  const link = commandNames.includes(basename(script)) ? script : linkAbove(dirname(script));
  const hasNode = link !== undefined && (isNodeOnPath || existsSync(join(dirname(link), 'node')));
  if (hasNode && leadsTo(link, script)) return typed(link);
  const conditions = execArgv.filter((each) => each.startsWith('--conditions='));
  return [isNodeOnPath ? 'node' : quoted(execPath), ...conditions, typed(script)].join(' ');
}

/** The command in the packages of a folder, or of one above: npx finds it there. */
function linkAbove(folder: string): string | undefined {
  const found = commandIn(join(folder, 'node_modules/.bin'));
  if (found !== undefined || dirname(folder) === folder) return found;
  return linkAbove(dirname(folder));
}

function commandIn(folder: string): string | undefined {
  return fileIn([folder], commandNames);
}

/** The first of these files that is executable. */
function fileIn(folders: readonly string[], names: readonly string[]): string | undefined {
  const files = folders.flatMap((folder) => names.map((name) => join(folder, name)));
  return files.find((file) => {
    try {
      accessSync(file, constants.X_OK);
      return true;
    } catch {
      return false;
    }
  });
}

/** Whether a link of a package manager, even a shell script, runs a file: a clone may not have been compiled. */
function leadsTo(link: string, script: string): boolean {
  const end = script.split(/[\\/]/).slice(-4).join('/');
  return isSame(link, script) || readFileSync(link, 'utf8').includes(end);
}

function isSame(file: string | undefined, other: string): boolean {
  return file !== undefined && existsSync(file) && realpathSync(file) === realpathSync(other);
}

function shorter(one: string, other: string): string {
  return one.length < other.length ? one : other;
}

function quoted(path: string): string {
  return /^[\w./@+-]+$/.test(path) ? path : `'${path.replaceAll("'", "'\\''")}'`;
}
