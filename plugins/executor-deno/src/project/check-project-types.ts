import path from 'node:path';
import type { Schema } from '@patchbay/core/plugin';
import ts from 'typescript-api';
import { unknownTools } from '../check/environment.ts';
import { type ModuleFiles, TypeChecker } from '../check/type-checker.ts';
import { builtIns } from '../translate/built-ins.ts';
import type { Fault } from '../translate/fault.ts';
import type { Translation } from '../translate/translation.ts';

/** Every file, as the compiler of the project reads them. */
const files: ModuleFiles = {
  mount() {},
  has: (file) => ts.sys.fileExists(file),
  hasFolder: (folder) => ts.sys.directoryExists(folder),
  read: (file) => ts.sys.readFile(file),
  realpath: (file) => ts.sys.realpath?.(file) ?? file,
};

/** Modules of Node.js have no types here: `@types/node` has globals that functions lack. */
const builtInDeclarations = builtIns
  .flatMap((name) => [name, name.slice('node:'.length)])
  .map((name) => `declare module '${name}';`)
  .join('\n');

/** Check a function against its schemas, and the types of the packages that it finds from its folder. */
export function checkProjectTypes(
  { input, output, folder }: { readonly input: Schema; readonly output: Schema; readonly folder: string },
  { typed, insertedLine }: Translation,
): readonly Fault[] {
  if (typed === undefined) return [];
  const checker = new TypeChecker(files, folder.replaceAll(path.sep, '/'));
  const declarations = `${unknownTools}\n${builtInDeclarations}\n`;
  return checker.check({ module: typed, insertedLine, input, output, declarations, packages: [] });
}
