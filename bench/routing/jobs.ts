import { type PolicyName, recorded, type Setting, simulated } from './compare.ts';
import { readMatrix } from './matrices/read-matrix.ts';
import { scenarios } from './scenarios.ts';

/** One policy in one scenario, to be run with many seeds. */
export interface Job {
  /** A name of `matrices`; otherwise models are simulated. */
  readonly matrix?: string;
  readonly scenario: string;
  readonly policy: PolicyName;
  readonly costWeight?: number;
}

/** Options of all jobs. */
export interface JobOptions {
  readonly seeds: number;
  /** Share of the calls of a scenario, 0 to 1. */
  readonly calls: number;
  /** Folder with the checkouts of the matrices. */
  readonly data: string;
}

export const nameOf = ({ matrix = 'simulated', scenario, policy, costWeight }: Job): string =>
  [matrix, scenario, policy, costWeight].filter((part) => part !== undefined).join(' / ');

/** Datasets that each seed takes where there are dozens, and where runs are long. */
const MANY_FUNCTIONS = 8;
const FEW_FUNCTIONS = 4;
const LONG_RUN = 10_000;

export function settingOf({ matrix, scenario, costWeight }: Job, { calls, data }: JobOptions): Setting {
  if (matrix === undefined) return simulated({ models: 8, functions: 5 }, calls, costWeight);
  const read = readMatrix(matrix, data);
  const { callsPerFunction = 0 } = scenarios.find(({ name }) => name === scenario) ?? {};
  const most = callsPerFunction > LONG_RUN ? FEW_FUNCTIONS : read.tasks.length > 20 ? MANY_FUNCTIONS : undefined;
  return recorded(read, calls, costWeight, most);
}
