import { type CellResult, cellsOf, type Evaluation } from '../run/evaluation.ts';
import type { RunState } from '../run/run-state.ts';
import { variantName } from '../run/variant.ts';
import { gradeOf } from './grade.ts';

/** A case with the answer of each variant. */
export interface CaseReport {
  readonly id: string;
  readonly input: object;
  readonly answers: readonly AnswerReport[];
}

interface AnswerReport {
  readonly variant: string;
  readonly outcome: 'passed' | 'failed' | 'unknown' | 'pending';
  /** The output as JSON, or the error. */
  readonly text: string;
  /** Why, check by check. */
  readonly reasons: readonly string[];
}

export function caseReports(evaluation: Evaluation, state: Pick<RunState, 'of'>): readonly CaseReport[] {
  const reports = new Map(evaluation.cases.map(({ id, input }) => [id, { id, input, answers: [] as AnswerReport[] }]));
  for (const { id, variant, case: given } of cellsOf(evaluation)) {
    const { result } = state.of(id);
    const answer = result ? answerReport(result) : ({ outcome: 'pending', text: '', reasons: [] } as const);
    reports.get(given.id)?.answers.push({ variant: variantName(variant), ...answer });
  }
  return [...reports.values()];
}

function answerReport({ answer, verdicts }: CellResult): Omit<AnswerReport, 'variant'> {
  const grade = gradeOf(verdicts);
  const { error } = answer;
  return {
    outcome: grade === undefined ? 'unknown' : grade.passed ? 'passed' : 'failed',
    text: error ? `${error.code}: ${error.message}` : JSON.stringify(answer.output, undefined, 2),
    reasons: verdicts.map((verdict) => {
      const { name } = verdict;
      if ('noVote' in verdict) return `${name}: no vote: ${verdict.noVote}`;
      return `${name}: ${verdict.passed ? 'passed' : 'failed'}${verdict.reason === undefined ? '' : `: ${verdict.reason}`}`;
    }),
  };
}
