import { existsSync } from 'node:fs';
import { readFile, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import type { Schema } from '@patchbay/core/plugin';
import { environmentDeclarations, schemaDeclarations, unknownTools } from '@patchbay/executor-deno/editor-types';
import { codeFileOf, type LocalFunction, testsFile } from './local-function.ts';
import { readIfThere } from './read-yaml.ts';

const typesFile = 'types.d.ts';
const environmentFile = 'patchbay.d.ts';
const projectFile = 'tsconfig.json';

/** Checks TypeScript as the server does, in editors of every version. */
const project = new URL('../../../templates/functions.tsconfig.json', import.meta.url);

/** A file of types, and whether it was written: a file with the same content is kept. */
interface WrittenTypes {
  readonly file: string;
  readonly isNew: boolean;
}

const schemaFile = 'tests.schema.json';

const mark = 'Written by patchbay from';

/** Characters of a file in which the mark is searched. */
const HEAD_LENGTH = 100;

/**
 * Write what an editor needs to know of the function in a folder: `Input` and `Output` from its schemas, and beside the
 * folder what every function has, such as `Context`, and the schema of `tests.yaml`. Each folder is a project, because
 * each has its own `Input`. A file with one of these names that an author made is kept, as is a changed project file.
 */
export async function writeEditorTypes({ folder, body }: LocalFunction): Promise<readonly WrittenTypes[]> {
  const root = dirname(folder);
  const tests = existsSync(join(folder, testsFile)) ? [[join(root, schemaFile), await testsSchemaText()] as const] : [];
  if (!body.code) return await writeAll(tests);
  const schemas = schemaDeclarations(body.input as Schema, body.output as Schema);
  const ownProject = {
    extends: `../${projectFile}`,
    files: [codeFileOf(folder), typesFile, `../${environmentFile}`],
  };
  const head = (source: string) => `// ${mark} ${source}; a change here is lost.\n`;
  const files: readonly (readonly [string, string])[] = [
    [join(root, environmentFile), `${head('its own declarations')}${environmentDeclarations}${unknownTools}`],
    [join(root, projectFile), await readFile(project, 'utf8')],
    [join(folder, typesFile), `${head('function.yaml')}${schemas}`],
    [join(folder, projectFile), `${JSON.stringify(ownProject, undefined, 2)}\n`],
  ];
  return await writeAll([...files, ...tests]);
}

/** The JSON Schema of `tests.yaml`. */
async function testsSchemaText(): Promise<string> {
  const { testsSchema } = await import('@patchbay/eval');
  const $comment = `${mark} its own schema; a change here is lost.`;
  return `${JSON.stringify({ $comment, ...testsSchema }, undefined, 2)}\n`;
}

async function writeAll(files: readonly (readonly [string, string])[]): Promise<readonly WrittenTypes[]> {
  return await Promise.all(
    files.map(async ([file, text]) => {
      const before = await readIfThere(file);
      const isOwn = before !== undefined && !before.slice(0, HEAD_LENGTH).includes(mark);
      const isKept = before === text || isOwn;
      if (!isKept) await writeFile(file, text);
      return { file, isNew: !isKept };
    }),
  );
}
