import type { Rows } from './collections.ts';

export {
  type EndedStatus,
  type ExecutionStatus,
  endedStatuses,
  executionStatuses,
  isEndedStatus,
} from './collections/executions.ts';
export type { Row } from './collections/fields.ts';
export type { ObservedMember } from './collections/functions.ts';
export type { UsageAmounts, UsageDimensions } from './collections/usage.ts';
export { deliveryStates, disabledReasons, type WebhookAttempt } from './collections/webhooks.ts';
export type { Collection, Rows } from './collections.ts';

export type FunctionRow = Rows['functions'];
export type FunctionVersionRow = Rows['functionVersions'];
export type FunctionSettingsRow = Rows['functionSettings'];
export type SettingsVersionRow = Rows['settingsVersions'];
export type ExecutionRow = Rows['executions'];
export type ApiKeyRow = Rows['apiKeys'];
export type AuditEntryRow = Rows['auditEntries'];
export type AuditHeadRow = Rows['auditHeads'];
export type JobRow = Rows['jobs'];
export type InstanceRow = Rows['instances'];
export type IdempotencyKeyRow = Rows['idempotencyKeys'];
export type UsageEntryRow = Rows['usageEntries'];
export type UsageHourRow = Rows['usageHours'];
export type ObservedNameRow = Rows['observedNames'];
export type WebhookRow = Rows['webhooks'];
export type WebhookEventRow = Rows['webhookEvents'];
export type WebhookDeliveryRow = Rows['webhookDeliveries'];
export type WebhookLaneRow = Rows['webhookLanes'];
