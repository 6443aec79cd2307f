import { type CellResult, cellsOf, type Evaluation } from '../run/evaluation.ts';
import type { RunState } from '../run/run-state.ts';
import { gradeOf } from './grade.ts';

/** Scores of a model under a version of the settings. */
export interface EvaluatedModel {
  readonly model: string;
  readonly settingsVersion: number;
  readonly scores: readonly number[];
}

/** The scores of a run by the model that answered. Failures say nothing about how good the answers of a model are. */
export function evidenceOf(evaluation: Evaluation, state: Pick<RunState, 'of'>): readonly EvaluatedModel[] {
  const models = new Map<string, { model: string; settingsVersion: number; scores: number[] }>();
  for (const { id } of cellsOf(evaluation)) {
    const { result } = state.of(id);
    const grade = result && scoreOf(result);
    if (!result?.model || !grade) continue;
    const { model, settingsVersion } = result;
    const key = `${settingsVersion} ${model}`;
    const known = models.get(key) ?? { model, settingsVersion, scores: [] };
    known.scores.push(grade.score);
    models.set(key, known);
  }
  return [...models.values()];
}

const scoreOf = ({ answer, verdicts }: CellResult) => (answer.error ? undefined : gradeOf(verdicts));
