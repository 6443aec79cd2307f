import { existsSync } from 'node:fs';
import { mkdir, readdir, stat } from 'node:fs/promises';
import { basename, dirname, join, resolve } from 'node:path';
import type { FunctionBody } from '@patchbay/client';
import { Document } from 'yaml';
import type { CliContext } from '../cli-context.ts';
import { UsageError } from '../cli-failure.ts';
import { readIfThere, readYaml } from './read-yaml.ts';
import { readLocalSchedules, type Schedules, schedulesFile, schedulesText } from './schedules-file.ts';

/** Everything that a folder contains of a function. */
export interface FunctionContent {
  readonly body: FunctionBody;
  readonly labels: Labels;
  readonly schedules?: Schedules | undefined;
}

/** A function as files of a folder. */
export interface LocalFunction extends FunctionContent {
  readonly folder: string;
  /** Name of the folder. */
  readonly key: string;
}

/** Settings by the label that points to them, in addition to those that calls use. */
export type Labels = Readonly<Record<string, Readonly<Record<string, unknown>>>>;

export const definitionFile = 'function.yaml';
export const promptFile = 'prompt.md';
export const testsFile = 'tests.yaml';
/** TypeScript is checked against the schemas when it is stored, JavaScript is not: both are one language to the server. */
export const codeFiles = ['code.ts', 'code.js'] as const;

/** The file with the code of a folder. */
export function codeFileOf(folder: string): (typeof codeFiles)[number] {
  return existsSync(join(folder, codeFiles[1])) ? codeFiles[1] : codeFiles[0];
}

const members = new Set(['name', 'description', 'input', 'output', 'settings', 'labels']);

/**
 * Read the function in a folder: `function.yaml` with name, description, input, output, settings and labels, and beside
 * it `code.ts` (or `code.js`), `prompt.md` and `schedules.yaml`, if they exist.
 *
 * @throws UsageError that names the file, and the line where it is not YAML.
 */
export async function readLocalFunction(folder: string): Promise<LocalFunction> {
  const { value: given, placeOf } = await readYaml(join(folder, definitionFile));
  const unknown = Object.keys(given).find((name) => !members.has(name));
  if (unknown !== undefined) {
    const detail = `has an unknown member "${unknown}"; there are ${[...members].join(', ')}`;
    throw new UsageError(`${join(folder, definitionFile)}:${placeOf([unknown])} ${detail}`);
  }
  const { name, description = '', input, output } = given;
  if (typeof name !== 'string') throw new UsageError(`${join(folder, definitionFile)} needs a name`);
  const codes = await Promise.all(codeFiles.map((file) => readIfThere(join(folder, file))));
  if (codes.every((code) => code !== undefined)) throw new UsageError(`${folder} has ${codeFiles.join(' and ')}`);
  const prompt = await readIfThere(join(folder, promptFile));
  const settings = settingsOf(given['settings'], prompt, folder);
  return {
    folder,
    key: basename(folder),
    labels: (given['labels'] ?? {}) as Labels,
    schedules: await readLocalSchedules(folder),
    body: {
      name,
      description: description as string,
      input: input as object,
      output: output as object,
      code: codes.find((code) => code !== undefined) ?? '',
      ...(settings && { settings }),
    },
  };
}

function settingsOf(given: unknown, prompt: string | undefined, folder: string): Record<string, unknown> | undefined {
  if (given === undefined && prompt === undefined) return undefined;
  const settings = (given ?? {}) as Record<string, unknown>;
  if (prompt === undefined) return settings;
  if (settings['prompt'] !== undefined) {
    throw new UsageError(`${folder} has a prompt in ${definitionFile} and one in ${promptFile}`);
  }
  // Editors end a file with a line end; the prompt has none.
  return { ...settings, prompt: prompt.replace(/\r?\n$/, '') };
}

/**
 * The functions in the folders of `dir`, or only those with the given keys.
 *
 * @throws UsageError
 */
export async function findLocal(
  { cwd }: CliContext,
  dir: string,
  keys: readonly string[],
): Promise<readonly LocalFunction[]> {
  const root = resolve(cwd, dir);
  const names = keys.length > 0 ? keys : await foldersOf(root);
  return await Promise.all(names.map((name) => readLocalFunction(join(root, name))));
}

async function foldersOf(root: string): Promise<readonly string[]> {
  const entries = await readdir(root, { withFileTypes: true }).catch((error: NodeJS.ErrnoException) => {
    throw new UsageError(`${root} cannot be read: ${error.code}; name the folder of the functions with --dir`);
  });
  const folders = entries.filter((entry) => entry.isDirectory() && !entry.name.startsWith('.'));
  const names = folders.map(({ name }) => name).sort();
  return names.filter((name) => existsSync(join(root, name, definitionFile)));
}

/** The files of a function by name: what `pull` writes, and `diff` compares. */
export function filesOf({ body, labels, schedules }: FunctionContent): ReadonlyMap<string, string> {
  const { name, description = '', input, output, code = '', settings } = body;
  const { prompt, ...others } = settings ?? {};
  const definition = {
    name,
    ...(description !== '' && { description }),
    input,
    output,
    // An empty map, too: a function without code and settings is none.
    ...((Object.keys(others).length > 0 || (settings && prompt === undefined)) && { settings: others }),
    ...(Object.keys(labels).length > 0 && { labels }),
  };
  const files = new Map([[definitionFile, new Document(definition).toString({ lineWidth: 0 })]]);
  if (code !== '') files.set(codeFiles[0], code);
  if (typeof prompt === 'string') files.set(promptFile, `${prompt}\n`);
  if (schedules) files.set(schedulesFile, schedulesText(schedules));
  return files;
}

/**
 * Create a folder and its parents, if they are missing. Node's own way never returns from a file system that
 * does not allow folders, such as `/proc`.
 */
export async function makeFolder(folder: string): Promise<void> {
  const isThere = await stat(folder).then(
    () => true,
    ({ code }: NodeJS.ErrnoException) => code !== 'ENOENT',
  );
  if (isThere) return;
  await makeFolder(dirname(folder));
  await mkdir(folder).catch((error: NodeJS.ErrnoException) => {
    if (error.code !== 'EEXIST') throw error;
  });
}
