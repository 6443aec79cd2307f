import type { CellResult, Evaluation } from '../run/evaluation.ts';
import { cellsOf } from '../run/evaluation.ts';
import type { RunState } from '../run/run-state.ts';
import { variantName } from '../run/variant.ts';
import type { Interval } from '../statistics/interval.ts';
import { meanOf } from '../statistics/mean.ts';
import { differenceOfShares } from '../statistics/paired-shares.ts';
import { wilson } from '../statistics/wilson.ts';
import { type Grade, gradeOf } from './grade.ts';

/** How the variants of a function did. Money is in US dollars, times are in milliseconds. */
export interface Report {
  readonly function: Evaluation['function'];
  /** ISO 8601. */
  readonly startedAt: string;
  readonly cases: number;
  /** Of the run, with its checks. */
  readonly spentUsd: number;
  readonly variants: readonly VariantReport[];
  /** Each variant minus the first one, on the cases in which both were graded. */
  readonly differences: readonly Difference[];
}

export interface VariantReport {
  readonly name: string;
  readonly model?: string;
  readonly settingsVersion?: number;
  /** Cases that have ended. */
  readonly ended: number;
  /** Share of the graded cases that have passed, with Wilson's interval. */
  readonly passed?: Interval & { readonly count: number; readonly of: number };
  /** Mean score of the graded cases, with the interval of Student, or that of Wilson where all are 0 or 1. Absent where they are in all variants: see `passed`. */
  readonly score?: Interval;
  readonly latencyMs?: { readonly p50: number; readonly p95: number };
  readonly cost: { readonly totalUsd: number; readonly perCallUsd?: number; readonly unknown: number };
  /** Executions that failed, by error code. */
  readonly failures: Readonly<Record<string, number>>;
  /** Checks without a vote, by the reason. */
  readonly noVotes: Readonly<Record<string, number>>;
}

export interface Difference {
  readonly variant: string;
  readonly from: string;
  /** Cases in which both were graded. */
  readonly cases: number;
  /** With Newcombe's interval for shares of the same cases. */
  readonly passed?: Interval;
  /** With Student's interval for pairs. */
  readonly score?: Interval;
}

const NANO = 1_000_000_000;

/** The report of a run, complete or not. */
export function reportOf(evaluation: Evaluation, state: Pick<RunState, 'of' | 'spent' | 'head'>): Report {
  const columns = evaluation.variants.map((variant) => ({ variant, results: new Map<string, CellResult>() }));
  for (const { id, variant, case: given } of cellsOf(evaluation)) {
    const { result } = state.of(id);
    if (result) columns.find((column) => column.variant === variant)?.results.set(given.id, result);
  }
  const [first, ...others] = columns.map(({ variant, results }) => ({
    name: variantName(variant),
    grades: new Map([...results].map(([id, { verdicts }]) => [id, gradeOf(verdicts)] as const)),
  }));
  const hasScores = isGraded(columns.flatMap(({ results }) => gradesOf(results)));
  return {
    function: evaluation.function,
    startedAt: state.head?.startedAt ?? '',
    cases: evaluation.cases.length,
    spentUsd: state.spent / NANO,
    variants: columns.map(({ variant, results }) => ({
      name: variantName(variant),
      ...variant,
      ...figuresOf(results, hasScores),
    })),
    differences: first ? others.map((other) => differenceOf(other, first)) : [],
  };
}

type Results = ReadonlyMap<string, CellResult>;

const gradesOf = (results: Results): readonly Grade[] =>
  [...results.values()].flatMap(({ verdicts }) => gradeOf(verdicts) ?? []);

function figuresOf(cells: Results, hasScores: boolean): Omit<VariantReport, 'name'> {
  const results = [...cells.values()];
  const grades = gradesOf(cells);
  const score = hasScores ? meanScore(grades) : undefined;
  const count = grades.filter(({ passed }) => passed).length;
  const times = results.map(({ durationMs }) => durationMs).sort((one, other) => one - other);
  const costs = results.flatMap(({ cost }) => cost ?? []);
  const totalUsd = costs.reduce((sum, cost) => sum + cost, 0) / NANO;
  return {
    ended: results.length,
    ...(grades.length > 0 && { passed: { ...wilson(count, grades.length), count, of: grades.length } }),
    ...(score && { score }),
    ...(times.length > 0 && { latencyMs: { p50: quantile(times, 0.5), p95: quantile(times, 0.95) } }),
    cost: {
      totalUsd,
      ...(costs.length > 0 && { perCallUsd: totalUsd / costs.length }),
      unknown: results.length - costs.length,
    },
    failures: countsOf(results.flatMap(({ answer }) => answer.error?.code ?? [])),
    noVotes: countsOf(
      results.flatMap(({ verdicts }) => verdicts.flatMap((each) => ('noVote' in each ? each.noVote : []))),
    ),
  };
}

/** Student's interval says nothing about scores that are all the same. */
function meanScore(grades: readonly Grade[]): Interval | undefined {
  if (grades.length === 0) return undefined;
  if (!isGraded(grades)) return wilson(grades.filter(({ passed }) => passed).length, grades.length);
  const mean = meanOf(grades.map(({ score }) => score));
  return mean && { ...mean, low: Math.max(0, mean.low), high: Math.min(1, mean.high) };
}

/** Whether scores say more than the number that passed. */
const isGraded = (grades: readonly Grade[]): boolean => grades.some(({ passed, score }) => score !== Number(passed));

interface GradedColumn {
  readonly name: string;
  /** By case. */
  readonly grades: ReadonlyMap<string, Grade | undefined>;
}

function differenceOf(one: GradedColumn, other: GradedColumn): Difference {
  const pairs = [...one.grades].flatMap(([id, grade]) => {
    const beside = other.grades.get(id);
    return grade && beside ? [[grade, beside] as const] : [];
  });
  const score = isGraded(pairs.flat()) ? meanOf(pairs.map(([grade, beside]) => grade.score - beside.score)) : undefined;
  return {
    variant: one.name,
    from: other.name,
    cases: pairs.length,
    ...(pairs.length > 0 && {
      passed: differenceOfShares(pairs.map(([{ passed }, beside]) => [passed, beside.passed])),
    }),
    ...(score && { score }),
  };
}

/** The nearest rank. @param sorted Not empty. */
function quantile(sorted: readonly number[], share: number): number {
  return sorted[Math.max(0, Math.ceil(share * sorted.length) - 1)] as number;
}

/** How often each string occurs, the most frequent first. */
function countsOf(texts: readonly string[]): Readonly<Record<string, number>> {
  const counts = new Map<string, number>();
  for (const text of texts) counts.set(text, (counts.get(text) ?? 0) + 1);
  const sorted = [...counts].sort(([one, count], [other, more]) => more - count || (one < other ? -1 : 1));
  return Object.fromEntries(sorted);
}
