import { writeFile } from 'node:fs/promises';
import { resolve } from 'node:path';
import { APIError, type Client, createClient } from '@patchbay/client';
import {
  type CaseSource,
  caseReports,
  casesDigest,
  type Evaluation,
  type RunEnd,
  reportOf,
  reportPage,
  runEvaluation,
  type Variant,
} from '@patchbay/eval';
import type { Action, CliContext } from '../cli-context.ts';
import { exitCodes, UsageError } from '../cli-failure.ts';
import { findStored, readStored } from '../functions/stored-functions.ts';
import { counted } from '../output.ts';
import { clientOf, type RemoteOptions, serverOf } from '../remote.ts';
import { applyRun } from './apply-evidence.ts';
import { type AgreementOptions, judgeAgreement } from './judge-agreement.ts';
import { callerOf, type OpenRun, openRun } from './open-run.ts';
import { readCases } from './read-cases.ts';
import { printReport } from './report-lines.ts';
import { keyOfRun, makeKey, revokeKey } from './run-key.ts';

interface EvaluationOptions extends RemoteOptions {
  readonly models?: readonly string[];
  readonly versions?: readonly number[];
  readonly dataset?: boolean;
  readonly fromFeedback?: boolean;
  readonly budget?: number;
  readonly concurrency?: number;
  readonly run?: string;
  readonly html?: string;
  readonly apply?: boolean;
  readonly undo?: boolean;
  readonly dir: string;
}

type EvalOptions = EvaluationOptions | (AgreementOptions & EvaluationOptions);

/** Evaluate a function with several models and versions of its settings, or how far its judge can be trusted. */
export const evaluate: Action<EvalOptions, [given: string]> = async (context, options, given) => {
  if ('judgeAgreement' in options) return await judgeAgreement(context, options, given);
  // A new run would be paid for, and has added no scores that could be taken back.
  if (options.undo && options.run === undefined) {
    throw new UsageError('--undo takes back the scores of a run: name its folder with --run');
  }
  const client = clientOf(options, context);
  const { evaluation, run } = await begin(context, options, given, client);
  let end: RunEnd = 'interrupted';
  try {
    end = await perform(context, options, { client, evaluation, run });
    if (end === 'done') await revokeKey(client, run, context.signal);
    if (end === 'done' && (options.apply || options.undo)) {
      const applied = await applyRun(client, { evaluation, run }, options.undo ?? false);
      const what = options.undo ? 'taken back' : 'added to what automatic choice knows';
      if (!options.json) context.output.note(`scores ${applied ? '' : 'were already '}${what}`);
    }
  } finally {
    context.showProgress('');
    run.journal.close();
    if (end !== 'done') sayHowToGoOn(context, options, given, run);
  }
  const report = reportOf(evaluation, run.state);
  if (end !== 'done' && (options.apply || options.undo))
    context.output.note('no scores were applied: the run has not ended');
  if (options.html !== undefined) {
    await writeFile(resolve(context.cwd, options.html), reportPage(report, caseReports(evaluation, run.state)));
  }
  if (options.json) context.output.result(JSON.stringify({ end, run: run.folder, ...report }));
  else {
    printReport(context.output, report);
    if (end === 'out of budget')
      context.output.note(`the budget does not suffice: ${run.state.refusal || 'all of it was spent'}`);
    context.output.note(`${end === 'interrupted' ? 'interrupted: ' : ''}${report.spentUsd.toFixed(6)} USD were spent`);
  }
  return end === 'done' ? exitCodes.ok : exitCodes.failure;
};

function sayHowToGoOn({ output, command }: CliContext, { json }: RemoteOptions, given: string, run: OpenRun): void {
  const line = `${command} eval ${JSON.stringify(given)} --run ${JSON.stringify(run.folder)}`;
  output.note(json ? JSON.stringify({ goOn: line }) : `to go on: ${line}`);
}

/** Determine what to evaluate, and open the run. */
async function begin(
  context: CliContext,
  options: EvaluationOptions,
  given: string,
  client: Client,
): Promise<{ readonly evaluation: Evaluation; readonly run: OpenRun }> {
  const { signal } = context;
  const id = await findStored(client, given, signal);
  const { body, etag } = await readStored(client, id, signal);
  const { name } = body;
  const about = { id, name, version: Number(etag.replaceAll('"', '')) };
  let cases: Evaluation['cases'] = [];
  const run = await openRun(options.run, name, context, async (begun) => {
    const source = sourceOf(options) ?? begun?.source ?? 'tests';
    cases = await readCases(client, { id, name, source, dir: options.dir }, context);
    const isNamed = options.models !== undefined || options.versions !== undefined;
    const variants =
      begun && !isNamed ? begun.variants : await variantsOf(options, { client, id, code: body.code }, signal);
    const caller = callerOf(serverOf(options, context));
    return { function: about, variants, source, cases: casesDigest(cases), caller };
  });
  return { evaluation: { function: about, variants: run.state.head.variants, cases }, run };
}

function sourceOf({ dataset, fromFeedback }: EvaluationOptions): CaseSource | undefined {
  if (fromFeedback) return 'feedback';
  return dataset ? 'import' : undefined;
}

/** Every model with every version. The version that calls use is named, so that all cases have the same. */
async function variantsOf(
  { models, versions }: EvaluationOptions,
  { client, id, code }: { readonly client: Client; readonly id: string; readonly code: string | undefined },
  signal: AbortSignal,
): Promise<readonly Variant[]> {
  if (code) {
    if (models || versions) throw new UsageError('the function has code: there are no models or versions to compare');
    return [{}];
  }
  const named = versions
    ? await storedVersions(client, id, versions, signal)
    : [await currentVersion(client, id, signal)];
  const withVersions = named.map((version) => (version === undefined ? {} : { settingsVersion: version }));
  const withModels: readonly Variant[] = models?.map((model) => ({ model })) ?? [{}];
  return withModels.flatMap((model) => withVersions.map((version) => ({ ...model, ...version })));
}

/** The same versions. @throws APIError `settings_not_found` before opening a run that could never end. */
async function storedVersions(
  client: Client,
  id: string,
  versions: readonly number[],
  signal: AbortSignal,
): Promise<readonly number[]> {
  for (const version of versions) {
    await client.request({
      method: 'GET',
      path: `/functions/${encodeURIComponent(id)}/settings/versions/${version}`,
      signal,
    });
  }
  return versions;
}

async function currentVersion(client: Client, id: string, signal: AbortSignal): Promise<number | undefined> {
  try {
    const path = `/functions/${encodeURIComponent(id)}/settings`;
    return ((await client.request({ method: 'GET', path, signal })).json as { readonly version: number }).version;
  } catch (error) {
    if (error instanceof APIError && error.code === 'settings_not_found') return undefined;
    throw error;
  }
}

interface Performance {
  /** With the credentials of the caller. */
  readonly client: Client;
  readonly evaluation: Evaluation;
  readonly run: OpenRun;
}

const NANO = 1_000_000_000;

/** Run what has not ended yet, with the run's key if it has a budget. */
async function perform(
  context: CliContext,
  options: EvaluationOptions,
  { client, evaluation, run }: Performance,
): Promise<RunEnd> {
  const { state, journal } = run;
  const signal = context.interruption();
  const onEnded = progressOf(context, options, evaluation, state);
  const { concurrency } = options;
  const budget = options.budget === undefined ? state.key?.budget : Math.round(options.budget * NANO);
  const runWith = async (apiKey: string | undefined, only?: 'begun'): Promise<RunEnd> => {
    const server = serverOf(options, context);
    const within = createClient({
      baseUrl: server.url,
      apiKey: apiKey ?? server.apiKey,
      // The server continues its work; only this process no longer waits for it.
      fetch: (resource, init) =>
        fetch(resource, { ...init, signal: AbortSignal.any([signal, init?.signal ?? signal]) }),
    });
    return await runEvaluation(evaluation, {
      client: within,
      journal,
      state,
      budget,
      concurrency,
      signal,
      onEnded,
      ...(only && { only }),
    });
  };
  if (budget === undefined) return await runWith(undefined);
  const known = keyOfRun(run);
  if (known !== undefined) {
    const isSame = state.key?.budget === budget;
    // Cells that were begun finish with the key that they began with, unless it was revoked.
    const end = await runWith(known, isSame ? undefined : 'begun').catch((error: unknown) => {
      if (error instanceof APIError && error.status === 401) return undefined;
      throw error;
    });
    if (end === 'interrupted' || (isSame && end !== undefined)) return end;
    await revokeKey(client, run, context.signal);
  }
  if (budget <= state.spent) return 'out of budget';
  return await runWith(await makeKey(client, run, budget, context.signal));
}

/** Shows the progress of a run: in place at a terminal, otherwise as an occasional line. */
function progressOf(
  { isInteractive, showProgress, output }: CliContext,
  { json }: RemoteOptions,
  { variants, cases }: Evaluation,
  state: OpenRun['state'],
): () => void {
  const total = variants.length * cases.length;
  const step = Math.max(1, Math.ceil(total / 10));
  let next = state.ended + step;
  return () => {
    const { ended, spent } = state;
    const text = `${ended} of ${counted(total, 'answer')}, ${(spent / NANO).toFixed(6)} USD`;
    if (isInteractive) showProgress(`${'█'.repeat(Math.round((20 * ended) / total)).padEnd(20, '░')} ${text}`);
    if (isInteractive || (ended < next && ended < total)) return;
    next = ended + step;
    output.note(json ? JSON.stringify({ ended, total }) : text);
  };
}
