import { writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import type { Schema } from '@patchbay/core/plugin';
import { environmentDeclarations, schemaDeclarations } from '@patchbay/executor-deno/editor-types';
import { codeFileOf, exists, type LocalFunction, readIfThere } from './local-function.ts';

const typesFile = 'types.d.ts';
const environmentFile = 'patchbay.d.ts';
const projectFile = 'tsconfig.json';

/** As the server checks TypeScript, for editors of every version. */
const compilerOptions = {
  target: 'esnext',
  module: 'esnext',
  moduleResolution: 'bundler',
  moduleDetection: 'force',
  lib: ['esnext'],
  types: [],
  strict: true,
  noImplicitAny: false,
  allowJs: true,
  allowImportingTsExtensions: true,
  skipLibCheck: true,
  noEmit: true,
};

/** A file of types, and whether it was written: one that says the same already is kept. */
interface WrittenTypes {
  readonly file: string;
  readonly isNew: boolean;
}

/**
 * Write what an editor needs to know of the function in a folder: `Input` and `Output` by its schemas, and beside the
 * folder what every function finds, such as `Context`. Each folder is a project, because each has its own `Input`.
 */
export async function writeEditorTypes({ folder, body }: LocalFunction): Promise<readonly WrittenTypes[]> {
  if (!body.code) return [];
  const root = dirname(folder);
  const schemas = schemaDeclarations(body.input as Schema, body.output as Schema);
  const project = {
    extends: `../${projectFile}`,
    files: [await codeFileOf(folder), typesFile, `../${environmentFile}`],
  };
  const head = (source: string) => `// Written by patchbay from ${source}; a change here is lost.\n`;
  const files: readonly (readonly [string, string])[] = [
    [join(root, environmentFile), `${head('its own declarations')}${environmentDeclarations}`],
    [join(root, projectFile), asJson({ compilerOptions, files: [environmentFile] })],
    [join(folder, typesFile), `${head('function.yaml')}${schemas}`],
    [join(folder, projectFile), asJson(project)],
  ];
  return await Promise.all(
    files.map(async ([file, text]) => {
      const before = await readIfThere(file);
      // A project file may be the author's own by now.
      const isKept = before === text || (before !== undefined && file.endsWith(projectFile));
      if (!isKept) await writeFile(file, text);
      return { file, isNew: !isKept };
    }),
  );
}

/** The same where the folder has such types already, and its schemas may have changed. */
export async function refreshEditorTypes(local: LocalFunction): Promise<void> {
  if (await exists(join(local.folder, typesFile))) await writeEditorTypes(local);
}

const asJson = (value: object): string => `${JSON.stringify(value, undefined, 2)}\n`;
