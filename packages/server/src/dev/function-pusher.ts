import { join } from 'node:path';
import { type Client, ConnectionError } from '@patchbay/client';
import type { Logger } from '@patchbay/core/plugin';
import type { CliContext } from '../cli/cli-context.ts';
import { describeCliFailure } from '../cli/cli-failure.ts';
import { type LocalFunction, readLocalFunction } from '../cli/functions/local-function.ts';
import { type Pushed, pushOne } from '../cli/functions/push.ts';
import { listStored } from '../cli/functions/stored-functions.ts';
import { openSyncedState } from '../cli/functions/synced-state.ts';
import { faultLines, testLocal } from '../cli/functions/test.ts';
import { counted } from '../cli/output.ts';
import { type FunctionFolder, readFolders } from './function-folders.ts';

interface FunctionPusherOptions {
  readonly context: CliContext;
  /** Folder with a folder for each function. */
  readonly root: string;
  readonly logger: Logger;
  /** Whether a function that was pushed is tested. */
  readonly test: boolean;
  /** For the currently running server. */
  readonly client: () => { readonly client: Client; readonly url: string };
}

type Known = Pick<FunctionFolder, 'source' | 'tests'>;

export function createFunctionPusher(options: FunctionPusherOptions) {
  const { root, logger, context } = options;
  let known = new Map<string, Known>();
  /** Folders that existed: the removal of one is logged once, even if everything is retried. */
  let seen: ReadonlySet<string> = new Set();
  /** Not tried, because another folder has the same name: retried when any folder was changed. */
  const refused = new Set<string>();

  const push = async (): Promise<void> => {
    const folders = await readFolders(root);
    const gone = [...seen].filter((key) => !folders.has(key));
    for (const key of gone) {
      known.delete(key);
      refused.delete(key);
      logger.warn(`${key} is gone from here, and stays on the server: ${context.command} functions delete ${key}`, {
        function: key,
      });
    }
    seen = new Set(folders.keys());
    const differs = ({ key, source, tests }: FunctionFolder): boolean => {
      const before = known.get(key);
      return before?.source !== source || before.tests !== tests;
    };
    if (gone.length > 0 || [...folders.values()].some(differs)) for (const key of refused) known.delete(key);
    const changed = [...folders.values()].filter(differs);
    if (changed.length === 0) return;
    const { client, url } = options.client();
    const all = await listStored(client, context.signal);
    const state = await openSyncedState(root, url);
    const names = await namesOf(root, folders);
    const unchanged: string[] = [];
    try {
      for (const folder of changed) {
        const before = known.get(folder.key);
        const isNewSource = before?.source !== folder.source;
        // Before it is tried: what is invalid now is retried once it was changed, and not sooner.
        known.set(folder.key, folder);
        const parts = { ...options, client, all, state, names, isNewSource, isKnown: before !== undefined, unchanged };
        const tried = await pushFolder(folder.key, parts);
        if (tried) refused.delete(folder.key);
        else refused.add(folder.key);
      }
    } finally {
      await state.save();
    }
    if (unchanged.length === 1)
      logger.info(`unchanged ${unchanged[0]}`, { function: unchanged[0], outcome: 'unchanged' });
    else if (unchanged.length > 1) logger.info(`${unchanged.length} functions are unchanged`, { functions: unchanged });
  };
  return {
    /** Push what was changed since the last time to the server. Faults are logged; never rejects. */
    async push(): Promise<void> {
      try {
        await push();
      } catch (error) {
        if (context.signal.aborted) return;
        // Nothing is known to have arrived: retried with the next change.
        if (error instanceof ConnectionError) known = new Map();
        logger.error('functions were not pushed', {
          problems: describeCliFailure(error, context.command).text.split('\n'),
        });
      }
    },
    /** Another server, or another config: retry everything. */
    forget(): void {
      known = new Map();
    },
  };
}

interface FolderPush extends Omit<FunctionPusherOptions, 'client'> {
  readonly client: Client;
  readonly all: Awaited<ReturnType<typeof listStored>>;
  readonly state: Awaited<ReturnType<typeof openSyncedState>>;
  /** Keys by the name of their function. */
  readonly names: ReadonlyMap<string, readonly string[]>;
  readonly isNewSource: boolean;
  /** Whether it was tried before: otherwise, a function that is the same on the server has been tested. */
  readonly isKnown: boolean;
  /** Receives the keys of functions that are already the same on the server. */
  readonly unchanged: string[];
}

/** @returns whether it was tried; otherwise, another folder has the same function name. */
async function pushFolder(key: string, parts: FolderPush): Promise<boolean> {
  const { root, logger, context, client, all, state, names, isNewSource, test } = parts;
  const since = performance.now();
  try {
    const local = await readLocalFunction(join(root, key));
    const others = names.get(local.body.name)?.filter((each) => each !== key) ?? [];
    if (others.length > 0) {
      const detail = `has the name ${JSON.stringify(local.body.name)}, as ${others.join(' and ')} has`;
      logger.error(`${key} was not pushed`, { function: key, problems: [`${key} ${detail}: a name has one function`] });
      return false;
    }
    if (isNewSource) {
      const pushed = await pushOne(local, { client, context, options: {}, state, all });
      if (pushed.outcome === 'unchanged') {
        parts.unchanged.push(key);
        if (!parts.isKnown) return true;
      } else if (!told(pushed, local, parts, Math.round(performance.now() - since))) return true;
    }
    if (test && local.body.code !== '') await runTests(local, parts);
  } catch (error) {
    if (error instanceof ConnectionError) throw error;
    const { text } = describeCliFailure(error, context.command);
    logger.error(`${key} was not pushed`, {
      function: key,
      problems: text.replaceAll(`${context.cwd}/`, '').split('\n'),
    });
  }
  return true;
}

/** @returns whether the server has the local state. */
function told(
  { outcome, id, failure }: Pushed,
  { key }: LocalFunction,
  { logger, context: { command } }: Pick<FolderPush, 'logger' | 'context'>,
  ms: number,
): boolean {
  if (failure) {
    logger.error(`${key} was not pushed; the server keeps its version`, {
      function: key,
      problems: failure.text.split('\n'),
    });
    return false;
  }
  if (outcome === 'changed there') {
    const problems = [
      'it was changed on the server since the last sync',
      `look with "${command} functions diff ${key}", then "${command} functions pull ${key}" or push it with --force`,
    ];
    logger.warn(`${key} was not pushed`, { function: key, problems });
    return false;
  }
  logger.info(`${outcome} ${key}`, { function: key, outcome, ...(id && { id }), ms });
  return true;
}

async function runTests(local: LocalFunction, { client, context, logger }: FolderPush): Promise<void> {
  const since = performance.now();
  const problems: string[] = [];
  let passed = 0;
  let failed = 0;
  for await (const tested of testLocal(local, client, context, {})) {
    if (tested.outcome === 'passed') passed += 1;
    else {
      failed += 1;
      problems.push(`${tested.place} ${tested.name}`, ...faultLines(tested));
    }
  }
  if (passed + failed === 0) return;
  const fields = { function: local.key, passed, failed, ms: Math.round(performance.now() - since) };
  const all = counted(passed + failed, 'test');
  if (failed === 0) logger.info(`${local.key}: ${all} passed`, fields);
  else logger.error(`${local.key}: ${failed} of ${all} failed`, { ...fields, problems });
}

async function namesOf(
  root: string,
  folders: ReadonlyMap<string, FunctionFolder>,
): Promise<ReadonlyMap<string, readonly string[]>> {
  const names = new Map<string, string[]>();
  for (const key of folders.keys()) {
    const local = await readLocalFunction(join(root, key)).catch(() => undefined);
    if (local) names.set(local.body.name, [...(names.get(local.body.name) ?? []), key]);
  }
  return names;
}
