import type { JsonObject, JsonValue } from '../json.ts';
import type { TaskFit, TaskScores } from '../router.ts';
import { json, jsonOrNull, rowFields } from './fields.ts';

// How good answers are: examples with known outputs, feedback about single answers, and the counts of models.

/** Values of metrics, by name. */
export type Scores = Readonly<Record<string, boolean | number | string>>;

/** An example of a function that was imported. The id is that of the function, a slash and that of the example. */
export const datasetExamples = {
  fields: {
    ...rowFields,
    functionId: 'string',
    input: json<JsonObject>(),
    /** The right output. Null if it is not known. */
    expected: jsonOrNull<JsonObject>(),
    /** An output that was given, right or wrong. */
    output: jsonOrNull<JsonObject>(),
    /** Of that output. */
    scores: json<Scores>(),
    createdAt: 'time',
    createdBy: 'string',
  },
  sort: ['createdAt'],
  filter: ['functionId'],
  unique: [],
} as const;

/**
 * How good an answer was, by one metric. The id is derived from tenant, target and metric: there is one row for each
 * combination.
 */
export const feedback = {
  fields: {
    ...rowFields,
    /** Id of the answer. */
    target: 'string',
    metric: 'string',
    value: json<boolean | number | string>(),
    comment: jsonOrNull<string>(),
    /** The answer that would have been right. */
    demonstration: jsonOrNull<JsonValue>(),
    /** These four as in the record of the target. */
    functionId: 'string',
    name: 'string',
    settingsVersion: 'integer?',
    model: 'string',
    createdAt: 'time',
    createdBy: 'string',
  },
  sort: ['createdAt'],
  filter: ['target', 'functionId', 'name', 'model', 'metric'],
  unique: [],
} as const;

/** Counts decay: these are as of a time, in milliseconds. */
type At<T> = T & { readonly at: number };

/**
 * The record of one model on one task. The id is derived from the fields before the counts: there is one row for each
 * combination.
 */
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
