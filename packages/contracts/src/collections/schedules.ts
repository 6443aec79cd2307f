import type { JsonObject } from '../json.ts';
import { json, oneOf, oneOfOrNull, rowFields } from './fields.ts';

/** Runs of a function at given times. The id is derived from the function and the name. */
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
    /** Behaviour at a time when the previous run has not ended. */
    overlap: oneOf(['skip', 'queue', 'allow']),
    /** The times that are caught up on if no server was running then. */
    catchUp: oneOf(['none', 'last', 'all']),
    state: oneOf(['active', 'paused']),
    /** `key_revoked`: the key that it runs as is no longer valid. */
    pausedReason: oneOfOrNull(['requested', 'key_revoked']),
    /** The next time, while it is active. */
    nextAt: 'time',
    /** The last time for which no run was made. */
    lastMissedAt: 'time?',
    /** The last execution, except for those that were skipped. */
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
