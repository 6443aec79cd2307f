import type { JsonValue } from '../json.ts';
import { json, jsonOrNull, rowFields } from './fields.ts';

/** How good an answer was, by one metric. The id follows from tenant, target and metric: there is one of each. */
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
