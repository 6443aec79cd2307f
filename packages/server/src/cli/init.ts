import { readFile, writeFile } from 'node:fs/promises';
import { dirname, join, relative, resolve } from 'node:path';
import type { CliContext } from './cli-context.ts';
import { exitCodes } from './cli-failure.ts';
import { commandName } from './command-name.ts';
import { writeEditorTypes } from './functions/editor-types.ts';
import { makeFolder, readLocalFunction } from './functions/local-function.ts';

const example = {
  'functions/summarizeText/function.yaml': `name: Summarize Text
description: The first sentences of a text.
input:
  type: object
  properties:
    text: { type: string }
    maxPoints: { type: integer, minimum: 1, default: 5 }
  required: [text]
output:
  type: object
  properties:
    points: { type: array, items: { type: string } }
  required: [points]
`,
  'functions/summarizeText/code.ts': `export default ({ text, maxPoints }: Input): Output => {
  const sentences = text.match(/[^.!?]+[.!?]*/g) ?? [];
  return { points: sentences.map((sentence) => sentence.trim()).slice(0, maxPoints) };
};
`,
  'functions/summarizeText/tests.yaml': `tests:
  - name: takes as many sentences as it is told
    input: { text: "One. Two! Three?", maxPoints: 2 }
    output: { points: [One., Two!] }
  - name: needs a text
    input: {}
    error: input_invalid
`,
} as const;

/** Write a config file and an example of a function. What is there already is kept as it is. */
export async function init(
  { cwd, env, output }: CliContext,
  folder: string,
  { json = false }: { readonly json?: boolean },
): Promise<number> {
  const root = resolve(cwd, folder);
  const defaults = await readFile(new URL('../../default.yaml', import.meta.url), 'utf8');
  // The built-in defaults, so that nothing changes with the file but what is changed in it.
  const config = defaults.replace(
    /^#.*\n/,
    '# All options: "patchbay config docs". Check it with "patchbay config validate".\n',
  );
  const report = (file: string, isNew: boolean): void => {
    const outcome = isNew ? 'written' : 'kept';
    output.result(json ? JSON.stringify({ file, outcome }) : `${outcome}  ${relative(cwd, file)}`);
  };
  for (const [name, text] of Object.entries({ 'patchbay.config.yaml': config, ...example })) {
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
  // What is there already may be anything.
  const local = await readLocalFunction(join(root, 'functions/summarizeText')).catch(() => undefined);
  const types = local ? await writeEditorTypes(local).catch(() => []) : [];
  for (const { file, isNew } of types) report(file, isNew);
  const command = commandName(env, root);
  const where = root === resolve(cwd) ? '' : `, in ${relative(cwd, root)}`;
  output.note(`next${where}: "${command} dev", a server that follows these files; in production "${command} serve"`);
  return exitCodes.ok;
}
