import { readFile, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import type { Schema } from '@patchbay/core/plugin';
import { environmentDeclarations, schemaDeclarations, unknownTools } from '@patchbay/executor-deno/editor-types';
import { codeFileOf, type LocalFunction, readIfThere } from './local-function.ts';

const typesFile = 'types.d.ts';
const environmentFile = 'patchbay.d.ts';
const projectFile = 'tsconfig.json';

/** Checks TypeScript as the server does, in editors of every version. */
const project = new URL('../../../templates/functions.tsconfig.json', import.meta.url);

/** A file of types, and whether it was written: one that says the same already is kept. */
interface WrittenTypes {
  readonly file: string;
  readonly isNew: boolean;
}

const mark = '// Written by patchbay from';

/**
 * Write what an editor needs to know of the function in a folder: `Input` and `Output` by its schemas, and beside the
 * folder what every function finds, such as `Context`. Each folder is a project, because each has its own `Input`.
 * A file of these names that an author has made is kept, and so is a project file that was changed.
 */
export async function writeEditorTypes({ folder, body }: LocalFunction): Promise<readonly WrittenTypes[]> {
  if (!body.code) return [];
  const root = dirname(folder);
  const schemas = schemaDeclarations(body.input as Schema, body.output as Schema);
  const ownProject = {
    extends: `../${projectFile}`,
    files: [codeFileOf(folder), typesFile, `../${environmentFile}`],
  };
  const head = (source: string) => `${mark} ${source}; a change here is lost.\n`;
  const files: readonly (readonly [string, string])[] = [
    [join(root, environmentFile), `${head('its own declarations')}${environmentDeclarations}${unknownTools}`],
    [join(root, projectFile), await readFile(project, 'utf8')],
    [join(folder, typesFile), `${head('function.yaml')}${schemas}`],
    [join(folder, projectFile), `${JSON.stringify(ownProject, undefined, 2)}\n`],
  ];
  return await Promise.all(
    files.map(async ([file, text]) => {
      const before = await readIfThere(file);
      const isOwn = before !== undefined && !before.startsWith(mark);
      const isKept = before === text || isOwn;
      if (!isKept) await writeFile(file, text);
      return { file, isNew: !isKept };
    }),
  );
}
