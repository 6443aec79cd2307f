/**
 * What embedders import: build an app from plugins and reach its services.
 *
 * @module
 */
export { authenticatorFrom } from './access/authenticator-from.ts';
export { authorize } from './access/authorize.ts';
export { checkPrincipal } from './access/check-principal.ts';
export type { KeyInput, KeyService, SecretKey } from './access/key-service.ts';
export type { App } from './app/app.ts';
export { serviceToken } from './app/container.ts';
export { type AppOptions, createApp } from './app/create-app.ts';
export { type LoadedConfig, loadConfig } from './app/load-config.ts';
export { compose, type Middleware } from './app/middleware.ts';
export { type Operator, openOperator } from './app/open-operator.ts';
export type { FunctionOperations } from './app/operate-functions.ts';
export { createRequestContext } from './app/request-context.ts';
export { type AuditAction, type AuditActor, auditActions } from './audit/audit-event.ts';
export { checkJson, type JsonDocument } from './base/check-json.ts';
export { didYouMean } from './base/did-you-mean.ts';
export { jsonTextOf } from './base/json-text-of.ts';
export type { OpenRequestContext } from './base/open-request-context.ts';
export { readJson } from './base/read-json.ts';
export { newId } from './base/type-id.ts';
export type { AppConfig } from './config/app-config.ts';
export { type ChangedOptions, changedOptions } from './config/changed-options.ts';
export { configJsonSchema, type JsonSchemaDocument } from './config/config-json-schema.ts';
export { defineConfig } from './config/define-config.ts';
export { type ConfigFiles, filesOfConfig } from './config/files-of-config.ts';
export {
  type InspectedPlugin,
  type InstalledPlugin,
  inspectPlugin,
  installedPlugins,
} from './config/inspect-plugin.ts';
export { printConfig } from './config/print-config.ts';
export type { Credentials, RequestHead } from './contracts/authenticator.ts';
export type { Logger, Principal } from './contracts/context.ts';
export { type ErrorCode, errorCodes } from './contracts/error-codes.ts';
export { type ErrorDetail, PatchbayError } from './contracts/errors.ts';
export type { OperationClass } from './contracts/operation-class.ts';
export { type GrantedScope, type Scope, scopes } from './contracts/scopes.ts';
export { type TenantId, tenantId } from './contracts/tenant.ts';
export { createMemoryCache } from './defaults/memory-cache.ts';
export { createMemoryRateLimiter } from './defaults/memory-rate-limiter.ts';
export { type EventKind, type EventKindName, eventKinds, messageSchema } from './events/event-kinds.ts';
export type { Call, CallInput, StreamedCall } from './functions/calls/call-service.ts';
export type { CallEvent } from './functions/calls/stream-call.ts';
export type { ExecutionLogs, TestedFunction } from './functions/execution-service.ts';
export { executionView, testView } from './functions/execution-view.ts';
export type { LogEvent, LogPlace } from './functions/executions/follow-logs.ts';
export type { ExecutionSummary, FunctionInput, FunctionSummary } from './functions/function-input.ts';
export { gatewayRequestSchemas } from './gateway/request-schemas.ts';
export type { IdempotencyClaim, IdempotencyService, KeptAnswer } from './idempotency/idempotency-service.ts';
export { outcomeOf } from './idempotency/outcome-of.ts';
export type { Slot } from './limits/concurrency-caps.ts';
export type { Admission, RateStanding } from './limits/request-limits.ts';
export type { PageRequest, PageResult } from './paging/page.ts';
export { createRedactor, type Redactor } from './secrets/redactor.ts';
export type { SettingsService } from './settings/settings-service.ts';
export { createTransport } from './transport/create-transport.ts';
export { decimalUsd } from './usage/cost.ts';
export {
  type UsageGrouping,
  type UsageQuery,
  type UsageReport,
  type UsageTotals,
  usageGroupings,
} from './usage/usage-service.ts';
export { checkWebhookUrl } from './webhooks/sending/check-webhook-url.ts';
export type { ReplayRequest, SecretWebhook, WebhookInput, WebhookService } from './webhooks/webhook-service.ts';
