import { apiKeys, auditEntries, auditHeads } from './collections/access.ts';
import { executions, idempotencyKeys, instances, jobs } from './collections/executions.ts';
import type { CollectionDescriptor, FieldValue } from './collections/fields.ts';
import {
  functionSettings,
  functions,
  functionVersions,
  observedNames,
  settingsVersions,
} from './collections/functions.ts';
import { usageEntries, usageHours } from './collections/usage.ts';
import { webhookDeliveries, webhookEvents, webhookLanes, webhooks } from './collections/webhooks.ts';

export type { CollectionDescriptor, FieldType } from './collections/fields.ts';

const table = {
  functions,
  functionVersions,
  functionSettings,
  settingsVersions,
  executions,
  apiKeys,
  auditEntries,
  auditHeads,
  jobs,
  instances,
  idempotencyKeys,
  usageEntries,
  usageHours,
  observedNames,
  webhooks,
  webhookEvents,
  webhookDeliveries,
  webhookLanes,
};

/**
 * Every collection as data, so that a store can derive tables, indexes and mapping from one place, and the types of rows
 * are inferred.
 *
 * A new field or collection is a change of this table and of the migrations of the stores.
 */
export const collections = table satisfies {
  readonly [C in keyof typeof table]: CollectionDescriptor<(typeof table)[C]['fields']>;
};

/** The name of each collection and what its rows hold. */
export type Rows = {
  readonly [C in keyof typeof collections]: {
    readonly [F in keyof (typeof collections)[C]['fields']]: FieldValue<(typeof collections)[C]['fields'][F]>;
  };
};

export type Collection = keyof Rows;

/** The fields that collection `C` can be sorted by. */
export type SortField<C extends Collection> = (typeof collections)[C]['sort'][number];

/** The fields that collection `C` can be filtered by. */
export type FilterField<C extends Collection> = (typeof collections)[C]['filter'][number];

/** Equality on some of the fields that collection `C` can be filtered by. No member: every row. */
export type Filter<C extends Collection> = {
  readonly [F in FilterField<C> & keyof Rows[C]]?: Rows[C][F];
};
