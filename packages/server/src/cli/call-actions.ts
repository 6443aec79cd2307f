import type { Action } from './cli-context.ts';
import { counted, printDocument, printRows } from './output.ts';
import { ask, clientOf, listAll, type RemoteOptions } from './remote.ts';

/** How a call was answered, as the server reports it. */
export interface RecordedCall {
  readonly id: string;
  readonly functionId: string | null;
  readonly name: string | null;
  readonly settingsVersion: number | null;
  readonly model: string | null;
  readonly outcome: 'completed' | 'repaired' | 'failed' | 'cancelled' | 'cached';
  readonly decision: {
    readonly candidates?: readonly { readonly model: string; readonly propensity: number }[];
  } | null;
  readonly cost: { readonly amount: string } | null;
  readonly promptTokens: number;
  readonly completionTokens: number;
  readonly durationMs: number;
  readonly executionId: string | null;
  readonly createdAt: string;
}

interface CallsOptions extends RemoteOptions {
  readonly function?: string;
  readonly model?: string;
  readonly key?: string;
  readonly outcome?: string;
  readonly since?: string;
}

export const list: Action<CallsOptions> = async (context, options) => {
  const { function: functionId, model, key: keyId, outcome, since } = options;
  const query = new URLSearchParams();
  for (const [parameter, value] of Object.entries({ functionId, model, keyId, outcome, since })) {
    if (value !== undefined) query.set(parameter, value);
  }
  const shown: RecordedCall[] = [];
  let count = 0;
  const all = listAll<RecordedCall>(clientOf(options, context), `/calls?${query.toString()}`, context.signal);
  for await (const each of all) {
    count += 1;
    // All of them may not fit into memory.
    if (options.json) printDocument(context.output, options, each);
    else shown.push(each);
  }
  printRows(context.output, options, shown, (each) => [
    each.createdAt,
    each.outcome,
    each.model ?? 'code',
    each.cost === null ? 'cost unknown' : `${each.cost.amount} USD`,
    `${each.durationMs} ms`,
    each.id,
  ]);
  context.output.note(counted(count, 'call'));
};

export const get: Action<RemoteOptions, [id: string]> = async (context, options, id) => {
  const request = { method: 'GET', path: `/calls/${encodeURIComponent(id)}` } as const;
  printDocument(context.output, options, await ask(context, options, request));
};
