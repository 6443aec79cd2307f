/**
 * The entry for storages and for plugins that read or write rows, next to `@patchbay/core/plugin`: the storage contract, the
 * rows and the collections. It has no runtime dependency.
 *
 * @module
 */

export { jsonTextOf } from './base/json-text-of.ts';
export { parseJson } from './base/read-json.ts';
export { storageArguments } from './base/storage-arguments.ts';
export { createMemoryStorage } from './built-in/memory-storage.ts';
export { budgetPeriods } from './contracts/limits.ts';
export type {
  ApiKeyRow,
  AuditEntryRow,
  Collection,
  ExecutionRow,
  ExecutionStatus,
  FunctionRow,
  FunctionVersionRow,
  ObservedNameRow,
  Row,
  Rows,
  WebhookDeliveryRow,
  WebhookEventRow,
  WebhookRow,
} from './contracts/rows.ts';
export {
  type CollectionDescriptor,
  collections,
  deliveryStates,
  disabledReasons,
  executionStatuses,
  type FieldType,
  type Filter,
  type FilterField,
  type SortField,
} from './contracts/rows.ts';
export type {
  CapabilityWrite,
  CommitResult,
  ListQuery,
  Page,
  Storage,
  StorageSignals,
  Write,
} from './contracts/storage.ts';
export { JobQueue } from './queue/job-queue.ts';
export { createStorageQueue } from './queue/storage-queue.ts';
