import { existsSync } from 'node:fs';
import { mkdir, readdir, readFile, writeFile } from 'node:fs/promises';
import { dirname, join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { filledTemplate, isTemplateKind, lastPart, packageFiles, pluginName, templates } from './package-files.ts';

export interface NewPlugin {
  /** `provider`, `storage`, `executor`, `router` or `authenticator`. */
  readonly kind: string;
  /** `acme` becomes `patchbay-<kind>-acme`; a scoped name, or one that begins with `patchbay-`, stays as it is. */
  readonly name: string;
  /** Default: a folder with the last part of the package's name, in the working directory. */
  readonly directory?: string;
  /** Folder to which a relative directory refers. Default: the working directory. */
  readonly parent?: string;
}

export interface CreatedPlugin {
  readonly name: string;
  readonly directory: string;
  /** Relative to the directory. */
  readonly files: readonly string[];
  /** Commands that lead to its first passing test, in this order, run from where this was called. */
  readonly next: readonly string[];
}

/**
 * Write a package with a plugin that passes the suite of its kind, as a starting point.
 *
 * @throws Error if the kind has no template, the name is invalid, or the folder is not empty.
 *
 * @example
 * ```ts
 * import { createPlugin } from '@patchbay/create-plugin';
 *
 * const { directory } = await createPlugin({ kind: 'provider', name: 'acme' });
 * console.log(directory);
 * ```
 */
export async function createPlugin({ kind, name, directory, parent = '.' }: NewPlugin): Promise<CreatedPlugin> {
  if (!isTemplateKind(kind)) throw new Error(`there is no template for "${kind}": ${templates.join(', ')}`);
  const full = pluginName(kind, name);
  const chosen = directory ?? lastPart(full);
  const target = resolve(parent, chosen);
  const present = await readdir(target).catch(() => []);
  if (present.length > 0) throw new Error(`${chosen} is not empty`);

  const manifest = JSON.parse(await readFile(new URL('../package.json', import.meta.url), 'utf8')) as {
    version: string;
  };
  const { version } = manifest;
  const read = async (template: string, more: object = {}) => {
    const text = await readFile(new URL(`../templates/${template}`, import.meta.url), 'utf8');
    return filledTemplate(text, { kind, name: full, version, ...more });
  };
  const config = (await read(`${kind}/patchbay.config.yaml.template`)).trimEnd();
  const files = packageFiles(kind);
  for (const [path, template] of files) {
    await mkdir(dirname(join(target, path)), { recursive: true });
    await writeFile(join(target, path), await read(template, { config }), { flag: 'wx' });
  }
  const next = nextSteps(chosen, cloneOf(import.meta.url));
  return { name: full, directory: chosen, files: [...files.keys()], next };
}

/** The clone of the repository that contains a module of this package; undefined if the package was installed. */
function cloneOf(module: string): string | undefined {
  const root = fileURLToPath(new URL('../../..', module)).replace(/[\\/]$/, '');
  return existsSync(fileURLToPath(new URL('../../../pnpm-workspace.yaml', module))) ? root : undefined;
}

/**
 * The commands to type after a plugin was written. In a clone, the packages come from it: a registry may lack them, or have
 * others. `--no-save`, because npm would write paths of this machine into package.json.
 */
export function nextSteps(directory: string, clone: string | undefined): readonly string[] {
  if (clone === undefined) return [`cd ${quoted(directory)}`, 'npm install', 'npm test'];
  const packages = `${quoted(join(clone, 'tarballs', 'patchbay-'))}{contracts,outbound,core,testing}-*.tgz`;
  return [
    `(cd ${quoted(clone)} && npm run tarballs)`,
    `cd ${quoted(directory)}`,
    `export PATH=${quoted(join(clone, 'node_modules', '.bin'))}:$PATH`,
    `npm install --no-save ${packages}`,
    'npm test',
  ];
}

function quoted(path: string): string {
  return /^[\w./@+:~-]+$/.test(path) ? path : `'${path.replaceAll("'", "'\\''")}'`;
}

const LEAST_MAJOR = 22;
const LEAST_MINOR = 14;

/** As in `@patchbay/core/node-version`, which is not installed yet when this runs; a test keeps them equal. */
export function nodeVersionFault(version: string = process.versions.node): string | undefined {
  const [major = 0, minor = 0] = version.split('.').map(Number);
  if (major > LEAST_MAJOR || (major === LEAST_MAJOR && minor >= LEAST_MINOR)) return undefined;
  return `Node ${version} is too old: ${LEAST_MAJOR}.${LEAST_MINOR} or newer is needed`;
}
