import { join, relative } from 'node:path';
import type { AppOptions } from '@patchbay/core';
import type { Logger } from '@patchbay/core/plugin';
import { codeFileOf, readLocalFunction } from '../cli/functions/local-function.ts';
import { stackLines } from '../cli/functions/run.ts';
import { pusherId } from './development-access.ts';
import { listFolders } from './function-folders.ts';

type EndedRun = Parameters<NonNullable<AppOptions['onRun']>>[0];

interface RunReporterOptions {
  readonly logger: Logger;
  /** Folder with a folder for each function. */
  readonly root: string;
  readonly cwd: string;
}

/**
 * Show a developer what functions log and why they fail, with positions in their own files. Tests after a push
 * are left out: their results contain their logs and positions.
 */
export function createRunReporter({ logger, root, cwd }: RunReporterOptions): (run: EndedRun) => void {
  const report = async ({ source, logs, failure, stack }: EndedRun): Promise<void> => {
    const local = await findCode(root, source);
    const name = source.name || local?.key || 'a function that is not stored';
    for (const { level, message } of logs) {
      logger[level === 'warn' || level === 'error' ? level : 'info'](`${name}: ${message}`, { function: name });
    }
    if (failure === undefined) return;
    const problems = stackLines({ error: { stack } }, local && relative(cwd, local.file));
    logger.error(`${name} failed: ${failure.code}: ${failure.message}`, { function: name, problems });
  };
  let last = Promise.resolve();
  return (run) => {
    if (run.caller.id === pusherId || (run.failure === undefined && run.logs.length === 0)) return;
    // One after another: lines of two runs are not mixed.
    last = last.then(() => report(run)).catch((error: unknown) => logger.warn('a run cannot be shown', { error }));
  };
}

/** The folder with this code: of the function with the name, or of any if the code is not stored. */
async function findCode(
  root: string,
  { name, code }: EndedRun['source'],
): Promise<{ readonly key: string; readonly file: string } | undefined> {
  for (const key of await listFolders(root)) {
    const folder = join(root, key);
    const local = await readLocalFunction(folder).catch(() => undefined);
    const isIt = name === '' ? local?.body.code === code : local?.body.name === name;
    if (isIt) return { key, file: join(folder, codeFileOf(folder)) };
  }
  return undefined;
}
