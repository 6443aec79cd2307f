import type { Client } from '@patchbay/client';
import { type EvaluatedModel, type Evaluation, evidenceOf } from '@patchbay/eval';
import { UsageError } from '../cli-failure.ts';
import type { OpenRun } from './open-run.ts';

/**
 * Make the scores of a run known to automatic choice, or take them back.
 *
 * @returns The models that scores were added for. Undefined: it was already done.
 * @throws APIError; UsageError for a run without scores of models.
 */
export async function applyRun(
  client: Client,
  { evaluation, run }: { readonly evaluation: Evaluation; readonly run: OpenRun },
  undo: boolean,
): Promise<readonly EvaluatedModel[] | undefined> {
  const { state, journal } = run;
  const isApplied = state.applications % 2 === 1;
  if (isApplied !== undo) return undefined;
  const models = evidenceOf(evaluation, state);
  if (models.length === 0)
    throw new UsageError('no case was answered by a model and graded: there is nothing to apply');
  const { run: id, startedAt: at } = state.head;
  await client.request({
    method: 'POST',
    path: `/functions/${encodeURIComponent(evaluation.function.id)}/evidence`,
    body: { at, undo, models },
    idempotencyKey: `eval-${id}-evidence-${state.applications}`,
  });
  const line = { type: 'applied', undo } as const;
  journal.append(line);
  state.take(line);
  return models;
}
