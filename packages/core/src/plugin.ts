/**
 * What plugin authors import. This entry point has no runtime dependency of its own, so that a plugin can be loaded,
 * read and tested without a host.
 *
 * @module
 */

export { type JoinedSignals, joinSignals } from './base/join-signals.ts';
export { jsonTextOf } from './base/json-text-of.ts';
export { parseJson } from './base/read-json.ts';
export { storageArguments } from './base/storage-arguments.ts';
export type { Announce, Notice } from './contracts/announce.ts';
export type { Authenticator, Credentials, IssuedKey, KeyIssuer, RequestHead } from './contracts/authenticator.ts';
export type { Cache } from './contracts/cache.ts';
export type { Clock } from './contracts/clock.ts';
export {
  type CollectionDescriptor,
  collections,
  type FieldType,
  type Filter,
  type FilterField,
  type SortField,
} from './contracts/collections.ts';
export type { ConfigOf, ConfigSchema, OptionSchema } from './contracts/config-schema.ts';
export type { CallingExecution, Logger, Principal, RequestContext } from './contracts/context.ts';
export { definePlugin, type Plugin, type PluginDefinition } from './contracts/define-plugin.ts';
export type { ErrorCode } from './contracts/error-codes.ts';
export {
  type ErrorDetail,
  PatchbayError,
  type PatchbayErrorOptions,
  type UpstreamFault,
  type UpstreamFaultKind,
} from './contracts/errors.ts';
export type {
  ExecutionError,
  ExecutionFailure,
  ExecutionJob,
  ExecutionLimits,
  ExecutionOutcome,
  Executor,
  ExecutorDescription,
  ExecutorLoad,
  FunctionSource,
  HostCalls,
  LogLine,
  PreparedFunction,
} from './contracts/executor.ts';
export type { FunctionExample, FunctionSettings } from './contracts/function-settings.ts';
export type { JsonObject, JsonValue } from './contracts/json.ts';
export type { Schema, SchemaType } from './contracts/json-schema.ts';
export { contractVersions, type Kind, type Kinds } from './contracts/kinds.ts';
export type { Health, Lifecycle } from './contracts/lifecycle.ts';
export type { Budget, OwnLimits, RateLimit } from './contracts/limits.ts';
export type { OutputWatcher } from './contracts/output-watcher.ts';
export type {
  ChatDelta,
  ChatRequest,
  ChatResult,
  ContentPart,
  EmbedRequest,
  EmbedResult,
  FinishReason,
  Message,
  ModelCapability,
  ModelInfo,
  ModelPricing,
  Provider,
  Sampling,
  Tool,
  ToolCall,
  Usage,
} from './contracts/provider.ts';
export { modelCapabilities } from './contracts/provider.ts';
export { faultOfStatus, type ProviderErrorOptions, providerError } from './contracts/provider-error.ts';
export type {
  ConsumeOptions,
  Consumer,
  DeadJob,
  Job,
  JobHandler,
  NewJob,
  Postponement,
  Queue,
} from './contracts/queue.ts';
export type { RateCharge, RateDecision, RateLimiter, RatePolicy } from './contracts/rate-limiter.ts';
export type { RootSecret } from './contracts/root-secret.ts';
export type { Candidate, RankedModel, RouteRequest, Router, TaskFit } from './contracts/router.ts';
export type { RoutingOptions } from './contracts/routing-options.ts';
export type {
  ApiKeyRow,
  AuditEntryRow,
  AuditHeadRow,
  Collection,
  ExecutionRow,
  ExecutionStatus,
  FunctionRow,
  FunctionSettingsRow,
  FunctionVersionRow,
  IdempotencyKeyRow,
  InstanceRow,
  JobRow,
  ObservedMember,
  ObservedNameRow,
  Row,
  Rows,
  SettingsVersionRow,
  UsageAmounts,
  UsageDimensions,
  UsageEntryRow,
  UsageHourRow,
  WebhookAttempt,
  WebhookDeliveryRow,
  WebhookEventRow,
  WebhookLaneRow,
  WebhookRow,
} from './contracts/rows.ts';
export { type GrantedScope, isGrantedScope, operatorScopes, scopes } from './contracts/scopes.ts';
export type { Secrets } from './contracts/secrets.ts';
export { createServiceRef, type ServiceRef, services } from './contracts/services.ts';
export type {
  Changes,
  CommitResult,
  ListQuery,
  Page,
  RowWrite,
  StatementWrite,
  Storage,
  Write,
} from './contracts/storage.ts';
export type { StorageSignals } from './contracts/storage-signals.ts';
export type { Attributes, MetricDefinition, MetricSource, Sample, Span, Telemetry } from './contracts/telemetry.ts';
export { installationTenant, isTenantId, type TenantId, tenantId } from './contracts/tenant.ts';
export type { NameFilter, TenantPolicy } from './contracts/tenant-policy.ts';
export type { Transport, TransportOptions } from './contracts/transport.ts';
export { type AddressFilter, createAddressFilter, isAddressRange, plainAddress } from './egress/address-range.ts';
export { assertSupported } from './provider-kit/assert-supported.ts';
export { type ChatAnswer, completeChat, finishDelta } from './provider-kit/complete-chat.ts';
export { definedMembers } from './provider-kit/defined-members.ts';
export { type EmbeddedImage, embeddedImage } from './provider-kit/embedded-image.ts';
export { findModel } from './provider-kit/find-model.ts';
export { fieldsOf, type JsonFields, listOf, textOf } from './provider-kit/json-fields.ts';
export { type LevelledSchema, levelSchema, type SchemaDialect } from './provider-kit/level-schema.ts';
export { type ModelOption, mergeModels, modelOptions } from './provider-kit/model-options.ts';
export { offProvider } from './provider-kit/off-provider.ts';
export { providerName } from './provider-kit/provider-name.ts';
export { readEmbedding } from './provider-kit/read-embedding.ts';
export { readToolArguments } from './provider-kit/read-tool-arguments.ts';
export { readUsage, type TokenCounts } from './provider-kit/read-usage.ts';
export { type SplitMessages, splitSystemMessages, type Turn } from './provider-kit/split-system-messages.ts';
export { estimateTokens, estimateUsage, readTokenCount } from './provider-kit/token-usage.ts';
export { portableToolCallId } from './provider-kit/tool-call-id.ts';
export { type TimeoutOptions, timeoutOptions, transportOptions } from './provider-kit/transport-options.ts';
export {
  createUpstreamClient,
  type UpstreamClient,
  type UpstreamClientOptions,
  type UpstreamEvent,
  type VendorError,
} from './provider-kit/upstream-client.ts';
export { createSecretBox, type SecretBox, type SecretPlace } from './secrets/secret-box.ts';
