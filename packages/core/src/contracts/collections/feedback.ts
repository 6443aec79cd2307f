import type { JsonValue } from '../json.ts';
import { json, jsonOrNull, rowFields } from './fields.ts';

/** An answer that feedback can be about. The id is that of the answer; never changed, and deleted after 30 days. */
export const callRecords = {
  fields: {
    ...rowFields,
    /** The stored function that was called. Empty where there is none. */
    functionId: 'string',
    /** The name that was called. Empty where the answer is not that of a call by name. */
    name: 'string',
    /** Version of the settings of the function. Null where they are not stored. */
    settingsVersion: 'integer?',
    /** `<provider>/<model_name>`. Empty where code answered. */
    model: 'string',
    /** The execution that answered, or whose code asked. Empty where there is none. */
    executionId: 'string',
    keyId: 'string',
    requestId: 'string',
    createdAt: 'time',
  },
  sort: ['createdAt'],
  filter: [],
  unique: [],
  scan: { where: [], sort: 'createdAt' },
} as const;

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
