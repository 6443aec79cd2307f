import type { Collection, Rows } from './rows.ts';

/**
 * How a field is stored.
 *
 * - `string`: up to 255 characters, may be filtered and sorted by; compared by code point
 * - `text`: any length, up to 1 MiB
 * - `integer`: within ±2^53
 * - `boolean`
 * - `time`: `YYYY-MM-DDTHH:mm:ss.sssZ`, always UTC and three decimals
 * - `json`: a JSON document that comes back with its keys in the same order
 *
 * A `?` allows null.
 */
export type FieldType =
  | 'string'
  | 'text'
  | 'integer'
  | 'boolean'
  | 'time'
  | 'json'
  | 'string?'
  | 'integer?'
  | 'time?'
  | 'json?';

/** What a storage needs to know about a collection to keep it. */
export interface CollectionDescriptor<R> {
  readonly fields: { readonly [F in keyof R]-?: FieldType };
  /** Fields that `list` can sort by. Ties are always broken by `id`, in the same direction. */
  readonly sort: readonly (keyof R & string)[];
  /** Fields that `list` and `deleteWhere` can filter by, for equality. Index them. */
  readonly filter: readonly (keyof R & string)[];
  /** Fields with values that no two rows share, over all tenants. */
  readonly unique: readonly (keyof R & string)[];
  /**
   * What `scanAllTenants` filters by, all of it together, and sorts by. Index it as one; where `heads` are asked for, with
   * the tenant before the sort as well.
   */
  readonly scan?: {
    readonly where: readonly (keyof R & string)[];
    readonly sort: keyof R & string;
    readonly heads?: boolean;
  };
}

/**
 * Every collection as data, so that a store can derive tables, indexes and mapping from one place.
 *
 * A new field or collection is a change of this table, of `Rows` and of the migrations of the stores.
 */
export const collections = {
  functions: {
    fields: {
      id: 'string',
      revision: 'integer',
      name: 'string',
      key: 'string?',
      description: 'text',
      input: 'json',
      output: 'json',
      code: 'text',
      artifact: 'text',
      contentHash: 'string',
      createdAt: 'time',
      updatedAt: 'time',
    },
    sort: ['createdAt', 'updatedAt', 'name'],
    filter: ['name', 'key'],
    unique: [],
  },
  functionVersions: {
    fields: {
      id: 'string',
      revision: 'integer',
      functionId: 'string',
      version: 'integer',
      name: 'string',
      description: 'text',
      input: 'json',
      output: 'json',
      code: 'text',
      contentHash: 'string',
      createdAt: 'time',
      createdBy: 'string',
    },
    sort: ['version'],
    filter: ['functionId', 'version'],
    unique: [],
  },
  functionSettings: {
    fields: {
      id: 'string',
      revision: 'integer',
      functionId: 'string',
      latest: 'integer',
      labels: 'json',
      updatedAt: 'time',
      updatedBy: 'string',
    },
    sort: ['updatedAt'],
    filter: ['functionId'],
    unique: [],
  },
  settingsVersions: {
    fields: {
      id: 'string',
      revision: 'integer',
      functionId: 'string',
      version: 'integer',
      values: 'json',
      createdAt: 'time',
      createdBy: 'string',
    },
    sort: ['version'],
    filter: ['functionId'],
    unique: [],
  },
  executions: {
    fields: {
      id: 'string',
      revision: 'integer',
      functionId: 'string',
      functionVersion: 'integer',
      status: 'string',
      input: 'json',
      effectiveInput: 'json?',
      output: 'json?',
      error: 'json?',
      logs: 'json',
      logsTruncated: 'boolean',
      usage: 'json?',
      durationMs: 'integer?',
      createdAt: 'time',
      completedAt: 'time?',
      createdBy: 'string',
      owner: 'string?',
      attempt: 'integer?',
      principal: 'json?',
      parentId: 'string?',
    },
    sort: ['createdAt'],
    filter: ['functionId', 'status', 'owner'],
    unique: [],
    scan: { where: [], sort: 'createdAt' },
  },
  apiKeys: {
    fields: {
      id: 'string',
      revision: 'integer',
      lookupId: 'string',
      name: 'string',
      secretHash: 'string',
      scopes: 'json',
      createdAt: 'time',
      createdBy: 'string',
      expiresAt: 'time?',
      revokedAt: 'time?',
      ipAddresses: 'json?',
      rateLimit: 'json?',
      budget: 'json?',
      lastUsedAt: 'time?',
      rotatedAt: 'time?',
      previousHash: 'string?',
      previousUntil: 'time?',
    },
    sort: ['createdAt'],
    filter: ['lookupId'],
    unique: ['lookupId'],
  },
  auditEntries: {
    fields: {
      id: 'string',
      revision: 'integer',
      sequence: 'integer',
      action: 'string',
      resourceType: 'string',
      resourceId: 'string',
      actorId: 'string',
      actorKind: 'string',
      requestId: 'string?',
      address: 'string?',
      createdAt: 'time',
      details: 'json',
      previousHash: 'string',
      hash: 'string',
    },
    sort: ['sequence'],
    filter: ['action', 'resourceId'],
    unique: [],
  },
  auditHeads: {
    fields: { id: 'string', revision: 'integer', sequence: 'integer', hash: 'string' },
    sort: ['sequence'],
    filter: [],
    unique: [],
  },
  jobs: {
    fields: {
      id: 'string',
      revision: 'integer',
      topic: 'string',
      state: 'string',
      dueAt: 'time',
      attempt: 'integer',
      dedupeKey: 'string?',
      createdAt: 'time',
      payload: 'json',
      error: 'json?',
    },
    sort: ['dueAt'],
    filter: ['topic', 'state'],
    unique: [],
    scan: { where: ['topic', 'state'], sort: 'dueAt', heads: true },
  },
  instances: {
    fields: {
      id: 'string',
      revision: 'integer',
      process: 'string',
      startedAt: 'time',
      expiresAt: 'time',
    },
    sort: ['expiresAt'],
    filter: [],
    unique: [],
  },
  idempotencyKeys: {
    fields: {
      id: 'string',
      revision: 'integer',
      requestHash: 'string',
      status: 'string',
      owner: 'string',
      answer: 'json?',
      createdAt: 'time',
      expiresAt: 'time',
    },
    sort: ['expiresAt'],
    filter: [],
    unique: [],
    scan: { where: [], sort: 'expiresAt' },
  },
  usageEntries: {
    fields: {
      id: 'string',
      revision: 'integer',
      kind: 'string',
      keyId: 'string',
      functionId: 'string',
      model: 'string',
      outcome: 'string',
      uncachedInputTokens: 'integer',
      cacheReadTokens: 'integer',
      cacheWriteTokens: 'integer',
      outputTokens: 'integer',
      reasoningTokens: 'integer',
      durationMs: 'integer',
      requestId: 'string',
      costNanoUsd: 'integer?',
      estimated: 'boolean',
      createdAt: 'time',
    },
    sort: ['createdAt'],
    filter: [],
    unique: [],
    scan: { where: [], sort: 'createdAt' },
  },
  usageHours: {
    fields: {
      id: 'string',
      revision: 'integer',
      hour: 'time',
      kind: 'string',
      keyId: 'string',
      functionId: 'string',
      model: 'string',
      outcome: 'string',
      uncachedInputTokens: 'integer',
      cacheReadTokens: 'integer',
      cacheWriteTokens: 'integer',
      outputTokens: 'integer',
      reasoningTokens: 'integer',
      durationMs: 'integer',
      calls: 'integer',
      costNanoUsd: 'integer',
      unpricedCalls: 'integer',
    },
    sort: ['hour'],
    filter: ['keyId'],
    unique: [],
  },
  observedNames: {
    fields: {
      id: 'string',
      revision: 'integer',
      name: 'string',
      count: 'integer',
      refused: 'integer',
      firstSeenAt: 'time',
      lastSeenAt: 'time',
      input: 'json',
      output: 'json?',
    },
    sort: ['lastSeenAt', 'count'],
    filter: [],
    unique: [],
  },
  webhooks: {
    fields: {
      id: 'string',
      revision: 'integer',
      slot: 'string',
      url: 'text',
      events: 'json',
      description: 'text',
      enabled: 'boolean',
      disabledReason: 'string?',
      disabledAt: 'time?',
      secret: 'string',
      previousSecret: 'string?',
      previousUntil: 'time?',
      createdAt: 'time',
      createdBy: 'string',
      updatedAt: 'time',
    },
    sort: ['createdAt'],
    filter: [],
    unique: ['slot'],
  },
  webhookEvents: {
    fields: {
      id: 'string',
      revision: 'integer',
      type: 'string',
      createdAt: 'time',
      data: 'json',
      webhookId: 'string?',
    },
    sort: ['createdAt'],
    filter: [],
    unique: [],
    scan: { where: [], sort: 'createdAt' },
  },
  webhookDeliveries: {
    fields: {
      id: 'string',
      revision: 'integer',
      webhookId: 'string',
      eventId: 'string',
      eventType: 'string',
      state: 'string',
      lane: 'string?',
      dueAt: 'time?',
      attempts: 'integer',
      failures: 'integer',
      createdAt: 'time',
      completedAt: 'time?',
      log: 'json',
    },
    sort: ['createdAt', 'dueAt'],
    filter: ['webhookId', 'eventId', 'state', 'lane'],
    unique: [],
  },
  webhookLanes: {
    fields: {
      id: 'string',
      revision: 'integer',
      run: 'string?',
      heldUntil: 'time?',
      alarm: 'string?',
      alarmAt: 'time?',
      wokenAt: 'time',
      failingSince: 'time?',
      throttles: 'integer',
      pausedUntil: 'time?',
    },
    sort: ['wokenAt'],
    filter: [],
    unique: [],
  },
} as const satisfies { readonly [C in Collection]: CollectionDescriptor<Rows[C]> };

/** The fields that collection `C` can be sorted by. */
export type SortField<C extends Collection> = (typeof collections)[C]['sort'][number];

/** The fields that collection `C` can be filtered by. */
export type FilterField<C extends Collection> = (typeof collections)[C]['filter'][number];

/** Equality on some of the fields that collection `C` can be filtered by. No member: every row. */
export type Filter<C extends Collection> = {
  readonly [F in FilterField<C> & keyof Rows[C]]?: Rows[C][F];
};
