import type { ExperimentRow } from '@patchbay/contracts/rows';
import { allocationOf } from './allocate.ts';

/** An experiment and what its scores show so far. */
export interface Experiment
  extends Pick<
    ExperimentRow,
    | 'id'
    | 'functionId'
    | 'label'
    | 'status'
    | 'metric'
    | 'optimize'
    | 'allocation'
    | 'winner'
    | 'before'
    | 'createdAt'
    | 'createdBy'
    | 'endedAt'
  > {
  readonly delta: number;
  readonly epsilon: number;
  readonly minPerVariant: number;
  readonly variants: readonly VariantView[];
  /** The version with the best mean. Null before the first score. */
  readonly leader: number | null;
  /** Progress of the evidence for the leader, from 0 to 1: at 1, it suffices. */
  readonly progress: number;
}

interface VariantView {
  readonly version: number;
  /** Number of scores. */
  readonly scores: number;
  /** Mean of the metric. Null before the first score. */
  readonly mean: number | null;
  /** Share of the calls, from 0 to 1; 0 once the experiment has ended. */
  readonly share: number;
}

export function experimentView(row: ExperimentRow): Experiment {
  const { rule, variants, revision: _, ...rest } = row;
  const { shares, leader, progress } = allocationOf(row);
  return {
    ...rest,
    ...rule,
    variants: variants.map(({ version, count, sum }, place) => {
      const mean = count === 0 ? null : sum / count;
      return {
        version,
        scores: count,
        mean: mean !== null && row.optimize === 'min' ? 1 - mean : mean,
        share: row.status === 'running' ? (shares[place] as number) : 0,
      };
    }),
    leader: variants.some(({ count }) => count > 0) ? (variants[leader]?.version ?? null) : null,
    progress,
  };
}
