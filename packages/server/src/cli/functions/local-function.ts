import { existsSync } from 'node:fs';
import { mkdir, readdir, readFile, stat } from 'node:fs/promises';
import { basename, dirname, join, resolve } from 'node:path';
import type { FunctionBody } from '@patchbay/client';
import { Document, isNode, LineCounter, parseDocument } from 'yaml';
import type { CliContext } from '../cli-context.ts';
import { UsageError } from '../cli-failure.ts';

/** A function as files of a folder. */
export interface LocalFunction {
  readonly folder: string;
  /** Name of the folder. */
  readonly key: string;
  readonly body: FunctionBody;
  readonly labels: Labels;
}

/** Settings by the label that stands for them, beside those that calls go by. */
export type Labels = Readonly<Record<string, Readonly<Record<string, unknown>>>>;

export const definitionFile = 'function.yaml';
export const promptFile = 'prompt.md';
export const testsFile = 'tests.yaml';
/** TypeScript is checked against the schemas when it is stored, JavaScript is not: both are one language to the server. */
export const codeFiles = ['code.ts', 'code.js'] as const;

/** The file that a folder has its code in. */
export function codeFileOf(folder: string): (typeof codeFiles)[number] {
  return existsSync(join(folder, codeFiles[1])) ? codeFiles[1] : codeFiles[0];
}

const members = new Set(['name', 'description', 'input', 'output', 'settings', 'labels']);

/**
 * Read the function in a folder: `function.yaml` with name, description, input, output, settings and labels, and beside
 * it `code.ts` (or `code.js`) and `prompt.md`, where it has them.
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

/** A file of YAML with the places of its values. */
export interface ReadYaml {
  readonly value: Record<string, unknown>;
  /** `line:column` of a value, or of what is nearest above it. */
  readonly placeOf: (path: readonly (string | number)[]) => string;
}

/** @throws UsageError */
export async function readYaml(file: string): Promise<ReadYaml> {
  const text = await readIfThere(file);
  if (text === undefined) throw new UsageError(`${file} does not exist`);
  const lineCounter = new LineCounter();
  const document = parseDocument(text, { lineCounter });
  const [error] = document.errors;
  if (error) {
    const { line = 1, col = 1 } = error.linePos?.[0] ?? {};
    throw new UsageError(`${file}:${line}:${col} ${error.message.split('\n')[0]}`);
  }
  const value = document.toJS() as unknown;
  if (typeof value !== 'object' || value === null || Array.isArray(value)) {
    throw new UsageError(`${file} must be a map`);
  }
  return {
    value: value as Record<string, unknown>,
    placeOf: (path) => {
      for (let length = path.length; length > 0; length -= 1) {
        const node = document.getIn(path.slice(0, length), true);
        if (!isNode(node) || !node.range) continue;
        const { line, col } = lineCounter.linePos(node.range[0]);
        return `${line}:${col}`;
      }
      return '1:1';
    },
  };
}

export async function readIfThere(file: string): Promise<string | undefined> {
  try {
    return await readFile(file, 'utf8');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
    throw error;
  }
}

/**
 * The functions in the folders of `dir`, or those of them that are named by their key.
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
export function filesOf(body: FunctionBody, labels: Labels): ReadonlyMap<string, string> {
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
  return files;
}

/**
 * Make a folder and those above it, where they are not there. Node's own way does not come back from a file system that
 * takes no folders, such as `/proc`.
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
