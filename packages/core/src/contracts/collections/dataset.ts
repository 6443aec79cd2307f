import type { JsonObject } from '../json.ts';
import { json, jsonOrNull, rowFields } from './fields.ts';

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
