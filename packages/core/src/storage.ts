/**
 * The entry for storages and for plugins that read or write rows, next to `@patchbay/core/plugin`: the storage contract, the
 * rows and the collections. It has no runtime dependency.
 *
 * @module
 */

export { jsonTextOf, parseJson } from '@patchbay/contracts/base/json-text';
export { storageArguments } from '@patchbay/contracts/base/storage-arguments';
export { budgetPeriods } from '@patchbay/contracts/limits';
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
} from '@patchbay/contracts/rows';
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
} from '@patchbay/contracts/rows';
export type {
  CapabilityWrite,
  CommitResult,
  ListQuery,
  Page,
  Storage,
  StorageSignals,
  Write,
} from '@patchbay/contracts/storage';
export { createMemoryStorage } from './built-in/memory-storage.ts';
export { JobQueue } from './queue/job-queue.ts';
export { createStorageQueue } from './queue/storage-queue.ts';
