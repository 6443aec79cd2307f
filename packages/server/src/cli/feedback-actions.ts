import type { Action } from './cli-context.ts';
import { counted, printDocument, printRows } from './output.ts';
import { clientOf, listAll, type RemoteOptions } from './remote.ts';

interface Feedback {
  readonly target: string;
  readonly metric: string;
  readonly value: boolean | number | string;
  readonly model: string | null;
  readonly createdAt: string;
}

interface FeedbackOptions extends RemoteOptions {
  readonly function?: string;
  readonly name?: string;
  readonly model?: string;
  readonly metric?: string;
  readonly since?: string;
}

export const list: Action<FeedbackOptions> = async (context, options) => {
  const { function: functionId, name, model, metric, since } = options;
  const query = new URLSearchParams();
  for (const [parameter, value] of Object.entries({ functionId, name, model, metric, since })) {
    if (value !== undefined) query.set(parameter, value);
  }
  const shown: Feedback[] = [];
  let count = 0;
  for await (const each of listAll<Feedback>(
    clientOf(options, context),
    `/feedback?${query.toString()}`,
    context.signal,
  )) {
    count += 1;
    // All of it may not fit into memory.
    if (options.json) printDocument(context.output, options, each);
    else shown.push(each);
  }
  printRows(context.output, options, shown, (each) => [
    each.createdAt,
    each.metric,
    String(each.value),
    each.model ?? 'code',
    each.target,
  ]);
  context.output.note(counted(count, 'entry', 'entries'));
};
