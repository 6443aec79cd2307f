import type { HttpRequest } from '@patchbay/client';
import type { Action, CliContext } from '../cli-context.ts';
import { counted, printRows } from '../output.ts';
import { ask, clientOf, type RemoteOptions } from '../remote.ts';
import { findStored } from './stored-functions.ts';

interface StartOptions extends RemoteOptions {
  readonly variant: readonly string[];
  readonly metric?: string;
  readonly allocation?: 'adaptive' | 'fixed';
  readonly delta?: number;
  readonly epsilon?: number;
  readonly minPerVariant?: number;
  readonly label?: string;
}

interface Experiment {
  readonly status: string;
  readonly label: string;
  readonly metric: string;
  readonly progress: number;
  readonly winner: number | null;
  readonly leader: number | null;
  readonly before: number;
  readonly variants: readonly {
    readonly version: number;
    readonly scores: number;
    readonly mean: number | null;
    readonly share: number;
  }[];
}

async function printAnswer(
  context: CliContext,
  options: RemoteOptions,
  given: string,
  { method, body, path = '' }: Pick<HttpRequest, 'method' | 'body'> & { readonly path?: string },
): Promise<undefined> {
  const id = await findStored(clientOf(options, context), given, context.signal);
  const request = { method, path: `/functions/${encodeURIComponent(id)}/experiment${path}`, ...(body ? { body } : {}) };
  const experiment = await ask<Experiment>(context, options, request);
  const { output } = context;
  if (options.json) {
    output.result(JSON.stringify(experiment));
    return;
  }
  const { metric, variants, leader, winner } = experiment;
  printRows(output, options, variants, ({ version, scores, mean, share }) => [
    `version ${version}`,
    counted(scores, 'score'),
    mean === null ? '-' : `${metric} ${mean.toFixed(3)}`,
    share > 0 ? `${Math.round(share * 100)} % of the calls` : '',
    version === winner ? 'won' : version === leader ? 'leads' : '',
  ]);
  output.note(stateOf(experiment));
}

function stateOf({ status, label, winner, before, progress }: Experiment): string {
  if (status === 'running') return `running: ${Math.floor(progress * 100)} % of the evidence that it takes`;
  if (status === 'won') return `won: ${label} stands for version ${winner} now`;
  if (status === 'rolled_back') return `rolled back: ${label} stands for version ${before} again`;
  return `${status}: it ended without a winner`;
}

export const start: Action<StartOptions, [given: string]> = async (context, options, given) => {
  const { variant, metric, allocation, delta, epsilon, minPerVariant, label } = options;
  const body = { variants: variant.map(Number), metric, allocation, delta, epsilon, minPerVariant, label };
  return await printAnswer(context, options, given, { method: 'PUT', body });
};

export const show: Action<RemoteOptions, [given: string]> = (context, options, given) =>
  printAnswer(context, options, given, { method: 'GET' });

export const stop: Action<RemoteOptions, [given: string]> = (context, options, given) =>
  printAnswer(context, options, given, { method: 'DELETE' });

export const rollBack: Action<RemoteOptions, [given: string]> = (context, options, given) =>
  printAnswer(context, options, given, { method: 'POST', path: '/rollback' });
