import { json, oneOf, rowFields } from './fields.ts';

const allocations = ['fixed', 'adaptive'] as const;

const statuses = ['running', 'won', 'stopped', 'superseded', 'rolled_back'] as const;

/** A settings version that is compared with others, and the scores of its calls. */
export interface ExperimentVariant {
  readonly version: number;
  /** Scores so far. */
  readonly count: number;
  /** Their sum: each is from 0 to 1, and more is better. */
  readonly sum: number;
}

/** A comparison of settings versions of a function. */
export const experiments = {
  fields: {
    ...rowFields,
    functionId: 'string',
    /** The label whose calls the variants share. */
    label: 'string',
    /** The version that the label had before: what a rollback restores. */
    before: 'integer',
    /** `superseded`: the label was moved or got new settings. */
    status: oneOf(statuses),
    metric: 'string',
    optimize: oneOf(['max', 'min']),
    allocation: oneOf(allocations),
    rule: json<{ readonly delta: number; readonly epsilon: number; readonly minPerVariant: number }>(),
    variants: json<readonly ExperimentVariant[]>(),
    winner: 'integer?',
    createdAt: 'time',
    createdBy: 'string',
    endedAt: 'time?',
  },
  sort: ['createdAt'],
  filter: ['functionId'],
  unique: [],
} as const;
