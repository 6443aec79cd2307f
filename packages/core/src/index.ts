/**
 * The entry for embedders: build an app from plugins and reach its services.
 *
 * @module
 */
export { authenticatorFrom } from './access/authenticator-from.ts';
export { authorize, checkPrincipal } from './access/callers.ts';
export type { KeyInput } from './access/key-service.ts';
export type { App } from './app/app.ts';
export { serviceToken } from './app/container.ts';
export { type AppOptions, createApp } from './app/create-app.ts';
export { loadConfig } from './app/load-config.ts';
export { type Operator, openOperator } from './app/open-operator.ts';
export { createRequestContext } from './app/request-context.ts';
export { auditActions } from './audit/audit-event.ts';
export { checkJson } from './base/check-json.ts';
export { jsonTextOf } from './base/json-text-of.ts';
export { didYouMean } from './base/names.ts';
export { readJson } from './base/read-json.ts';
export { newId } from './base/type-id.ts';
export { createMemoryCache } from './built-in/memory-cache.ts';
export { createMemoryRateLimiter } from './built-in/memory-rate-limiter.ts';
export type { AppConfig } from './config/app-config.ts';
export { defineConfig } from './config/app-config.ts';
export { changedOptions } from './config/changed-options.ts';
export { printConfig } from './config/config-entries.ts';
export { configJsonSchema } from './config/config-json-schema.ts';
export { filesOfConfig } from './config/files-of-config.ts';
export { inspectPlugin, installedPlugins } from './config/inspect-plugin.ts';
export { type ErrorCode, errorCodes } from './contracts/error-codes.ts';
export { PatchbayError } from './contracts/errors.ts';
export type { Scope } from './contracts/scopes.ts';
export { tenantId } from './contracts/tenant.ts';
export { checkPublicUrl } from './egress/public-url.ts';
export { eventKinds, messageSchema } from './events/event-kinds.ts';
export { executionView, testView } from './functions/executions/execution-view.ts';
export { functionTypes } from './functions/types/function-types.ts';
export { gatewayRequestSchemas } from './gateway/request-schemas.ts';
export { outcomeOf } from './idempotency/idempotency-service.ts';
export { createRedactor } from './secrets/redactor.ts';
export { createTransport } from './transport/create-transport.ts';
export { decimalUsd } from './usage/budgets.ts';
export { usageGroupings } from './usage/usage-service.ts';
