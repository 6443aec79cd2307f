import { access, writeFile } from 'node:fs/promises';
import { dirname, join, relative, resolve } from 'node:path';
import type { Imported } from '@patchbay/import';
import type { Action, CliContext } from '../cli-context.ts';
import { UsageError } from '../cli-failure.ts';
import { filesOf, makeFolder } from '../functions/local-function.ts';
import { keyOf } from '../functions/stored-functions.ts';
import { counted, type Printing, printRows } from '../output.ts';
import { completeModels } from './complete-models.ts';
import { configText, variablesOf } from './config-text.ts';

interface MigrationOptions extends Printing {
  readonly out: string;
  readonly write?: boolean;
}

const configFile = 'patchbay.config.yaml';

export const litellm: Action<MigrationOptions, [file: string]> = async (context, options, file) => {
  const { importLitellm } = await import('@patchbay/import');
  await migrate(context, options, await importLitellm(file, context.cwd), file);
};

export const tensorzero: Action<MigrationOptions, [path: string]> = async (context, options, path) => {
  const { importTensorzero } = await import('@patchbay/import');
  await migrate(context, options, await importTensorzero(path, context.cwd), path);
};

/** Print what becomes of each value of a configuration, and write the files if requested. */
async function migrate(
  context: CliContext,
  options: MigrationOptions,
  { config, functions, findings }: Imported,
  source: string,
): Promise<void> {
  const { cwd, output, command } = context;
  const root = resolve(cwd, options.out);
  const text = await configText({ ...config, providers: await completeModels(config.providers) }, source);
  const files = new Map([[join(root, configFile), text]]);
  for (const { labels, ...body } of functions) {
    for (const [name, content] of filesOf({ body, labels }))
      files.set(join(root, 'functions', keyOf(body.name), name), content);
  }
  printRows(output, options, findings, ({ outcome, place, name, detail }) => [outcome, place, name, detail]);
  if (options.write) await writeNew(files);
  const outcome = options.write ? 'written' : 'not written';
  const written = [...files.keys()].map((file) => ({ file: relative(cwd, file), outcome }));
  printRows(output, options, written, (each) => [each.outcome, each.file]);

  const count = (outcome: string) => findings.filter((finding) => finding.outcome === outcome).length;
  output.note(`${count('mapped')} mapped, ${count('changed')} changed, ${count('not mapped')} not mapped`);
  const variables = variablesOf(text);
  if (variables.length > 0)
    output.note(`set ${counted(variables.length, 'environment variable')}: ${variables.join(', ')}`);
  if (!options.write) return output.note(`${counted(files.size, 'file')} would be written: add --write`);
  const where = root === cwd ? '' : `, in ${relative(cwd, root)}`;
  const commands = ['config validate', 'serve', ...(functions.length > 0 ? ['functions push'] : [])];
  output.note(`next${where}: ${commands.map((each) => `"${command} ${each}"`).join(', ')}`);
}

/** Write files that do not exist yet: all of them or none. */
async function writeNew(files: ReadonlyMap<string, string>): Promise<void> {
  for (const file of files.keys()) {
    const isThere = await access(file).then(
      () => true,
      () => false,
    );
    if (isThere) throw new UsageError(`${file} exists already: name another folder with --out`);
  }
  for (const [file, text] of files) {
    await makeFolder(dirname(file));
    await writeFile(file, text, { flag: 'wx' });
  }
}
