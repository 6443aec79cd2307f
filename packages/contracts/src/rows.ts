import { apiKeys, auditEntries, auditHeads, sessions } from './collections/access.ts';
import { callContents, callHours, callRecords } from './collections/calls.ts';
import { executionSlots, executions, idempotencyKeys, instances, jobs } from './collections/executions.ts';
import { experiments } from './collections/experiments.ts';
import type { CollectionDescriptor, RowOf } from './collections/fields.ts';
import {
  functionBundles,
  functionSettings,
  functions,
  functionVersions,
  observedNames,
  settingsVersions,
} from './collections/functions.ts';
import { datasetExamples, feedback, taskRecords } from './collections/quality.ts';
import { schedules } from './collections/schedules.ts';
import { usageDays, usageEntries, usageHours } from './collections/usage.ts';
import { webhookDeliveries, webhookEvents, webhookLanes, webhooks } from './collections/webhooks.ts';

export { type CallOutcome, type CallStep, callOutcomes, type ModelDecision } from './collections/calls.ts';
export {
  type EndedStatus,
  type ExecutionStatus,
  endedStatuses,
  executionStatuses,
  isEndedStatus,
} from './collections/executions.ts';
export type { CollectionDescriptor, FieldType, Row } from './collections/fields.ts';
export type { ObservedMember } from './collections/functions.ts';
export type { Scores } from './collections/quality.ts';
export type { UsageAmounts, UsageDimensions, UsageTotals } from './collections/usage.ts';
export { deliveryStates, disabledReasons, type WebhookAttempt } from './collections/webhooks.ts';

const table = {
  functions,
  functionVersions,
  functionBundles,
  functionSettings,
  settingsVersions,
  experiments,
  datasetExamples,
  executions,
  executionSlots,
  schedules,
  apiKeys,
  sessions,
  auditEntries,
  auditHeads,
  jobs,
  instances,
  idempotencyKeys,
  usageEntries,
  usageHours,
  usageDays,
  callRecords,
  callContents,
  callHours,
  feedback,
  taskRecords,
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
 * A new field or collection requires a change to this table and migrations of the stores.
 */
export const collections = table satisfies {
  readonly [C in keyof typeof table]: CollectionDescriptor<(typeof table)[C]['fields']>;
};

/** The rows of each collection, by name. */
export type Rows = {
  readonly [C in keyof typeof collections]: RowOf<(typeof collections)[C]['fields']>;
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

export type FunctionRow = Rows['functions'];
export type FunctionVersionRow = Rows['functionVersions'];
export type FunctionBundleRow = Rows['functionBundles'];
export type FunctionSettingsRow = Rows['functionSettings'];
export type SettingsVersionRow = Rows['settingsVersions'];
export type ExperimentRow = Rows['experiments'];
export type DatasetExampleRow = Rows['datasetExamples'];
export type ExecutionRow = Rows['executions'];
export type ScheduleRow = Rows['schedules'];
export type ApiKeyRow = Rows['apiKeys'];
export type SessionRow = Rows['sessions'];
export type AuditEntryRow = Rows['auditEntries'];
export type JobRow = Rows['jobs'];
export type InstanceRow = Rows['instances'];
export type IdempotencyKeyRow = Rows['idempotencyKeys'];
export type UsageEntryRow = Rows['usageEntries'];
export type UsageHourRow = Rows['usageHours'];
export type UsageDayRow = Rows['usageDays'];
export type CallRecordRow = Rows['callRecords'];
export type CallContentRow = Rows['callContents'];
export type CallHourRow = Rows['callHours'];
export type FeedbackRow = Rows['feedback'];
export type TaskRecordRow = Rows['taskRecords'];
export type ObservedNameRow = Rows['observedNames'];
export type WebhookRow = Rows['webhooks'];
export type WebhookEventRow = Rows['webhookEvents'];
export type WebhookDeliveryRow = Rows['webhookDeliveries'];
export type WebhookLaneRow = Rows['webhookLanes'];
