import { createHash } from 'node:crypto';
import type { Answer, Check, EvalCase, Verdict } from '../eval-case.ts';
import type { Variant } from './variant.ts';

/** A function with the variants and cases of a run. It cannot change while the run is resumed. */
export interface Evaluation {
  readonly function: { readonly id: string; readonly name: string; readonly version: number };
  readonly variants: readonly Variant[];
  readonly cases: readonly EvalCase[];
}

/** A case with a variant. */
export interface Cell {
  /** Unique in its run, and the same when the run is resumed. */
  readonly id: string;
  readonly variant: Variant;
  readonly case: EvalCase;
}

/** All cells, those of a case next to each other: an interrupted run has compared its variants on the same cases. */
export function cellsOf({ variants, cases }: Pick<Evaluation, 'variants' | 'cases'>): readonly Cell[] {
  return cases.flatMap((each) =>
    variants.map((variant, index) => ({ id: `${index} ${each.id}`, variant, case: each })),
  );
}

/** The answer to a cell, and its verdicts. */
export interface CellResult {
  /** Id of its execution. */
  readonly execution: string;
  readonly answer: Answer;
  /** Absent if no model answered. */
  readonly model?: string | undefined;
  /** 0 if the function has no settings. */
  readonly settingsVersion: number;
  readonly verdicts: readonly NamedVerdict[];
  /** Of the function, without the time in the queue. */
  readonly durationMs: number;
  /** In billionths of a dollar; null if it is not known. */
  readonly cost: number | null;
}

export type NamedVerdict = Verdict & Pick<Check, 'name'>;

/** Equal for equal cases and checks. */
export function casesDigest(cases: readonly EvalCase[]): string {
  const content = cases.map(({ id, input, checks }) => [id, input, checks.map(({ expectation }) => expectation)]);
  return sha256(JSON.stringify(content));
}

export const sha256 = (text: string): string => createHash('sha256').update(text).digest('base64url');
