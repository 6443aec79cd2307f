import { readFile, writeFile } from 'node:fs/promises';
import { dirname, join, relative, resolve } from 'node:path';
import type { Action } from './cli-context.ts';
import { commandName } from './command-name.ts';
import { writeEditorTypes } from './functions/editor-types.ts';
import { makeFolder, readLocalFunction } from './functions/local-function.ts';
import { type Printing, printResult } from './output.ts';

/** Below the folder `example` of this package. */
const exampleFiles = ['function.yaml', 'code.ts', 'tests.yaml'].map((name) => `functions/summarizeText/${name}`);

/** Write a config file and an example function. Existing files are kept as they are. */
export const init: Action<Printing, [folder: string]> = async ({ cwd, env, output }, options, folder) => {
  const root = resolve(cwd, folder);
  const defaults = await readFile(new URL('../../default.yaml', import.meta.url), 'utf8');
  // The built-in defaults, so that the file alone changes nothing until it is edited.
  const config = defaults.replace(
    /^#.*\n/,
    '# All options: "patchbay config docs". Check it with "patchbay config validate".\n',
  );
  const report = (file: string, isNew: boolean): void => {
    const outcome = isNew ? 'written' : 'kept';
    printResult(output, options, { file, outcome }, `${outcome}  ${relative(cwd, file)}`);
  };
  const files = new Map([['patchbay.config.yaml', config]]);
  for (const name of exampleFiles) {
    files.set(name, await readFile(new URL(`../../example/${name}`, import.meta.url), 'utf8'));
  }
  for (const [name, text] of files) {
    const file = join(root, name);
    await makeFolder(dirname(file));
    const isNew = await writeFile(file, text, { flag: 'wx' }).then(
      () => true,
      (error: NodeJS.ErrnoException) => {
        if (error.code === 'EEXIST') return false;
        throw error;
      },
    );
    report(file, isNew);
  }
  // An existing folder may contain anything.
  const local = await readLocalFunction(join(root, 'functions/summarizeText')).catch(() => undefined);
  const types = local ? await writeEditorTypes(local).catch(() => []) : [];
  for (const { file, isNew } of types) report(file, isNew);
  const command = commandName(env, root);
  const where = root === resolve(cwd) ? '' : `, in ${relative(cwd, root)}`;
  output.note(`next${where}: "${command} dev", a server that follows these files; in production "${command} serve"`);
};
