import type { TaskFit, TaskScores } from '../router.ts';
import { jsonOrNull, rowFields } from './fields.ts';

/** Counts decay: these are as they were at a time, in milliseconds. */
type At<T> = T & { readonly at: number };

/** The record of one model on one task. The id follows from the fields before the counts: there is one row of each. */
export const taskRecords = {
  fields: {
    ...rowFields,
    /** Name of a function as an identifier: see `nameKey`. The function need not be stored. */
    task: 'string',
    /** Of the settings of the function; 0 where none are stored. */
    settingsVersion: 'integer',
    model: 'string',
    fit: jsonOrNull<At<TaskFit>>(),
    scores: jsonOrNull<At<TaskScores>>(),
    updatedAt: 'time',
  },
  sort: ['updatedAt'],
  filter: ['task'],
  unique: [],
  scan: { where: [], sort: 'updatedAt' },
} as const;
