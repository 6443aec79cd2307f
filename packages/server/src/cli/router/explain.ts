import { APIError } from '@patchbay/client';
import type { Action, CliContext } from '../cli-context.ts';
import { printDocument, printRows } from '../output.ts';
import { ask, clientOf, type RemoteOptions } from '../remote.ts';
import { findTask } from './find-task.ts';

interface ExplainedModel {
  readonly id: string;
  readonly refused?: string;
  readonly reason?: string;
  readonly propensity?: number;
  readonly learned?: {
    readonly mean: number;
    readonly low: number;
    readonly high: number;
    readonly scores: number;
    readonly role: string;
  };
}

/** The choice of the router for a function, with the quality that it has learned for each model. */
export const explain: Action<RemoteOptions, [name: string]> = async (context, options, given) => {
  const body = await requestFor(context, options, given);
  const request = { method: 'POST', path: '/models/explain', body } as const;
  const { data } = await ask<{ readonly data: readonly ExplainedModel[] }>(context, options, request);
  if (options.json) {
    for (const model of data) printDocument(context.output, options, model);
    return;
  }
  const able = data.filter(({ refused }) => refused === undefined);
  const head = ['MODEL', 'ROLE', 'SHARE', 'QUALITY', '95 % INTERVAL', 'SCORES'];
  const rows = able.map(({ id, propensity, learned }) => [
    id,
    learned?.role ?? '-',
    propensity === undefined ? '-' : `${(100 * propensity).toFixed(1)} %`,
    learned?.mean.toFixed(2) ?? '-',
    learned ? `${learned.low.toFixed(2)} to ${learned.high.toFixed(2)}` : '-',
    learned ? String(Math.round(learned.scores)) : '-',
  ]);
  printRows(context.output, options, [head, ...rows], (row) => row);
  for (const { id, reason } of able.slice(0, 1)) context.output.result(`\n${id}: ${reason}`);
  if (!able.some(({ learned }) => learned)) {
    context.output.note('nothing is learned yet: give feedback about answers, such as answer.score(1)');
  }
};

interface Settings {
  readonly version: number;
  readonly model?: string;
  readonly routing?: object;
}

/** The request that a call of the function would send to the router. */
async function requestFor(context: CliContext, options: RemoteOptions, given: string): Promise<object> {
  const { id, name: functionName } = await findTask(clientOf(options, context), given, context.signal);
  if (id === undefined) return { functionName };
  const request = { method: 'GET', path: `/functions/${id}/settings` } as const;
  const settings = await ask<Settings>(context, options, request).catch((error: unknown) => {
    if (error instanceof APIError && error.code === 'settings_not_found') return undefined;
    throw error;
  });
  const { version: settingsVersion = 0, model, routing } = settings ?? {};
  return { functionName, settingsVersion, ...(model && { model }), ...(routing && { routing }) };
}
