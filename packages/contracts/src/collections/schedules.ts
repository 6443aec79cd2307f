import type { JsonObject } from '../json.ts';
import { json, oneOf, oneOfOrNull, rowFields } from './fields.ts';

/** Runs of a function at times of the clock. The id follows from the function and the name. */
export const schedules = {
  fields: {
    ...rowFields,
    functionId: 'string',
    name: 'string',
    /** Either this or `every`. */
    cron: 'string?',
    /** IANA name of the time zone of `cron`. */
    timezone: 'string?',
    /** Such as `90s`. */
    every: 'string?',
    /** For a time at which the run before it has not ended. */
    overlap: oneOf(['skip', 'queue', 'allow']),
    /** The times that are made up if no server was there for them. */
    catchUp: oneOf(['none', 'last', 'all']),
    state: oneOf(['active', 'paused']),
    /** `key_revoked`: the key that it runs as is not valid any more. */
    pausedReason: oneOfOrNull(['requested', 'key_revoked']),
    /** The next time, while it is active. */
    nextAt: 'time',
    /** The last time that no run was made for. */
    lastMissedAt: 'time?',
    /** The last execution, but for those that were skipped. */
    lastExecutionId: 'string?',
    createdAt: 'time',
    createdBy: 'string',
    updatedAt: 'time',
    updatedBy: 'string',
    /** The caller that it runs as. */
    principal: json<JsonObject>(),
    input: json<JsonObject>(),
  },
  sort: ['createdAt', 'nextAt'],
  filter: ['functionId', 'state'],
  unique: [],
  scan: { where: ['state'], sort: 'nextAt' },
} as const;
