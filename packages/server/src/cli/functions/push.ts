import { join, relative, resolve } from 'node:path';
import { isDeepStrictEqual } from 'node:util';
import { APIError, type Client, type FunctionSummary } from '@patchbay/client';
import { createTwoFilesPatch } from 'diff';
import type { Action, CliContext } from '../cli-context.ts';
import { type CliFailure, describeCliFailure, exitCodes } from '../cli-failure.ts';
import { agreed } from '../input.ts';
import { counted } from '../output.ts';
import { clientOf, type RemoteOptions, urlOf } from '../remote.ts';
import { BundleError, withBundle } from './bundles/local-bundle.ts';
import { writeEditorTypes } from './editor-types.ts';
import { codeFileOf, definitionFile, filesOf, findLocal, type LocalFunction, promptFile } from './local-function.ts';
import { readYaml } from './read-yaml.ts';
import { putSchedules, schedulesFile } from './schedules-file.ts';
import {
  contentHashes,
  listStored,
  packagesText,
  readStored,
  type StoredState,
  schedulesKey,
  withName,
} from './stored-functions.ts';
import { openSyncedState, type SyncedState } from './synced-state.ts';

export interface SyncOptions extends RemoteOptions {
  readonly dir: string;
  readonly force?: boolean;
  readonly dryRun?: boolean;
}

/** The outcome for one function. */
export interface Pushed {
  readonly outcome: 'created' | 'updated' | 'unchanged' | 'changed there' | 'failed';
  readonly id?: string;
  readonly failure?: CliFailure;
}

/** Store the functions of the folder, except those that were changed on the server since the last sync. */
export const push: Action<SyncOptions, [keys: readonly string[]]> = async (context, options, keys) => {
  const client = clientOf(options, context);
  const locals = await findLocal(context, options.dir, keys);
  const all = await listStored(client, context.signal);
  const state = await openSyncedState(resolve(context.cwd, options.dir), urlOf(options, context));
  let exitCode: number = exitCodes.ok;
  try {
    for (const local of locals) {
      const pushed = await pushOne(local, { client, context, options, state, all });
      report(context, options, local, pushed);
      if (pushed.failure) exitCode = exitCode === exitCodes.drift ? exitCode : pushed.failure.exitCode;
      if (pushed.outcome === 'changed there') exitCode = exitCodes.drift;
    }
  } finally {
    if (!options.dryRun) await state.save();
  }
  if (locals.length === 0) context.output.note(`there is no function in ${options.dir}`);
  return exitCode;
};

interface PushDependencies {
  readonly client: Client;
  readonly context: CliContext;
  readonly options: Pick<SyncOptions, 'force' | 'dryRun'>;
  readonly state: SyncedState;
  /** The functions of the server. */
  readonly all: readonly FunctionSummary[];
}

/** Create or replace one function. */
export async function pushOne(given: LocalFunction, parts: PushDependencies): Promise<Pushed> {
  // Even for code that is then refused: with these, an editor shows why. The server reports faults of schemas.
  if (!parts.options.dryRun) await writeEditorTypes(given).catch(() => undefined);
  try {
    return await pushBundled(await withBundle(given, parts.context.cwd), parts);
  } catch (error) {
    if (!(error instanceof BundleError)) throw error;
    return { outcome: 'failed', failure: error.failure };
  }
}

async function pushBundled(local: LocalFunction, parts: PushDependencies): Promise<Pushed> {
  const { client, context, options, state, all } = parts;
  const here = contentHashes(local.key, local);
  let section: readonly string[] = [];
  /** Store the settings of the labels, and the schedules, that differ. */
  const putParts = async (id: string, before: ReadonlyMap<string, string>): Promise<void> => {
    for (const [label, body] of Object.entries(local.labels)) {
      const name = `${local.key}@${label}`;
      if (before.get(name) === here.get(name)) continue;
      section = ['labels', label];
      const path = `/functions/${id}/settings?label=${encodeURIComponent(label)}`;
      await client.request({ method: 'PUT', path, body, signal: context.signal });
    }
    const name = schedulesKey(local.key);
    if (!local.schedules || before.get(name) === here.get(name)) return;
    const onName = (schedule: string) => (section = ['schedules', schedule]);
    await putSchedules(client, id, local.schedules, { signal: context.signal, onName });
  };
  try {
    const id = withName(all, local.body.name)?.id;
    if (id === undefined) {
      const made = options.dryRun ? undefined : await client.functions.create(local.body, { signal: context.signal });
      if (made) await putParts(made.id, new Map());
      state.note(here);
      return { outcome: 'created', ...(made && { id: made.id }) };
    }
    const stored = await readStored(client, id, context.signal, partsOf(local));
    const there = contentHashes(local.key, stored);
    const hasSamePackages = packagesText(local.body.bundle?.packages) === packagesText(stored.packages);
    if (isDeepStrictEqual(here, there) && hasSamePackages) {
      state.note(here);
      return { outcome: 'unchanged', id };
    }
    const isForeign = [...here.keys()].some((name) => ![undefined, there.get(name)].includes(state.hashOf(name)));
    if (isForeign && !options.force && !(await mayOverwrite(local, context))) return { outcome: 'changed there', id };
    if (!options.dryRun) {
      const isSame = here.get(local.key) === there.get(local.key) && hasSamePackages;
      if (!isSame) await replace(client, stored, local, context.signal);
      await putParts(id, there);
    }
    state.note(here);
    return { outcome: 'updated', id };
  } catch (error) {
    if (error instanceof APIError && error.code === 'precondition_failed') return { outcome: 'changed there' };
    // Without a server, or a key, the next one would fare no better.
    if (!(error instanceof APIError) || error.status === 401) throw error;
    return {
      outcome: 'failed',
      failure: placedFailure(
        describeCliFailure(error, context.command),
        await placeFaults(local, error, context.cwd, section),
      ),
    };
  }
}

/** The same with lines of files instead of JSON Pointers. */
function placedFailure(failure: CliFailure, faults: readonly string[]): CliFailure {
  if (faults.length === 0) return failure;
  return { ...failure, text: faults.join('\n'), error: { ...failure.error, faults } };
}

/** In one request, unless settings must be removed. */
async function replace(client: Client, stored: StoredState, { body }: LocalFunction, signal: AbortSignal) {
  await client.functions.replace(stored.id, body, { signal, headers: { 'if-match': stored.etag } });
  if (stored.settingsEtag === undefined || body.settings !== undefined) return;
  const path = `/functions/${stored.id}/settings`;
  await client.request({ method: 'DELETE', path, signal, headers: { 'if-match': stored.settingsEtag } });
}

/** The parts of a function on the server that its folder has as well. */
const partsOf = ({ labels, schedules }: LocalFunction) => ({
  labels: Object.keys(labels),
  schedules: schedules !== undefined,
});

async function mayOverwrite({ key }: LocalFunction, { isInteractive }: CliContext): Promise<boolean> {
  if (!isInteractive) return false;
  const message = `${key} was changed on the server since it was pulled or pushed here. Overwrite that?`;
  return await agreed(message);
}

function report(
  { output, command }: CliContext,
  { json, dryRun }: SyncOptions,
  { key, body }: LocalFunction,
  pushed: Pushed,
) {
  const { outcome, id, failure } = pushed;
  if (json) {
    const error = failure && { error: failure.error };
    return output.result(
      JSON.stringify({ key, name: body.name, outcome, ...(id && { id }), ...(dryRun && { dryRun }), ...error }),
    );
  }
  output.result(`${dryRun ? 'would be ' : ''}${outcome}  ${key}${id ? `  ${id}` : ''}`);
  if (failure) output.note(failure.text);
  if (outcome === 'changed there') {
    const look = `${command} functions diff ${key}`;
    output.note(`  hint: look with "${look}", then pull, or push with --force`);
  }
}

/** The faults that the server found in a function, each as `file:line:column fault`; empty if it named no position. */
async function placeFaults(
  { folder }: LocalFunction,
  error: unknown,
  cwd: string,
  section: readonly string[],
): Promise<readonly string[]> {
  if (!(error instanceof APIError) || error.errors.length === 0) return [];
  const shown = (file: string) => relative(cwd, join(folder, file));
  const codeFile = codeFileOf(folder);
  const [part, name = ''] = section;
  const isSchedule = part === 'schedules';
  const file = isSchedule ? schedulesFile : definitionFile;
  const { placeOf } = await readYaml(join(folder, file));
  return error.errors.map((fault) => {
    const { pointer, detail } = fault;
    const path = [...(isSchedule ? [name] : section), ...pathOf(pointer)];
    const place = placeOf(path);
    if (isSchedule) return `${shown(file)}:${place} ${path.join('.')} ${detail}`;
    const { line, column } = fault as { readonly line?: number; readonly column?: number };
    const [first, second] = path;
    if (first === 'bundle') return `${shown(codeFile)}:1:1 ${path.join('.')} ${detail}`;
    if (first === 'code') return `${[shown(codeFile), line ?? 1, column ?? 1].join(':')} ${detail}`;
    const isPrompt = first === 'settings' && second === 'prompt';
    if (isPrompt && place === placeOf(path.slice(0, 1))) return `${shown(promptFile)}:1:1 ${detail}`;
    return `${shown(file)}:${place} ${path.join('.')} ${detail}`;
  });
}

function pathOf(pointer: string): readonly (string | number)[] {
  const names = pointer.split('/').slice(1);
  return names.map((name) => {
    const plain = name.replaceAll('~1', '/').replaceAll('~0', '~');
    return /^\d+$/.test(plain) ? Number(plain) : plain;
  });
}

/** Show what `push` would change on the server. Exit code 5 if it would change anything. */
export const diff: Action<Pick<SyncOptions, keyof RemoteOptions | 'dir'>, [keys: readonly string[]]> = async (
  context,
  options,
  keys,
) => {
  const { output, signal, cwd } = context;
  const client = clientOf(options, context);
  const all = await listStored(client, signal);
  let differences = 0;
  for (const given of await findLocal(context, options.dir, keys)) {
    const local = await withBundle(given, cwd);
    const { key, body } = local;
    const packages = packagesText(body.bundle?.packages);
    const found = withName(all, body.name);
    const stored = found && (await readStored(client, found.id, signal, partsOf(local)));
    const hashes = stored && contentHashes(key, stored);
    const storedPackages = packagesText(stored?.packages);
    if (isDeepStrictEqual(hashes, contentHashes(key, local)) && packages === storedPackages) continue;
    differences += 1;
    const there = new Map([...(stored ? filesOf(stored) : []), ['packages', storedPackages] as const]);
    const here = new Map([...filesOf(local), ['packages', packages] as const]);
    const files = [...new Set([...there.keys(), ...here.keys()])].filter((file) => there.get(file) !== here.get(file));
    if (options.json) {
      output.result(JSON.stringify({ key, name: body.name, isStored: stored !== undefined, files }));
      continue;
    }
    for (const file of files) {
      const names = [`server/${key}/${file}`, `local/${key}/${file}`] as const;
      const patch = createTwoFilesPatch(...names, there.get(file) ?? '', here.get(file) ?? '');
      output.result(patch.replace(/^=+\n/, '').trimEnd());
    }
  }
  output.note(differences === 0 ? 'no differences' : counted(differences, 'function differs', 'functions differ'));
  return differences === 0 ? exitCodes.ok : exitCodes.drift;
};
