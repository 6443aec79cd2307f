/**
 * The entry for embedders: build an app from plugins and reach its services.
 *
 * @module
 */

export { checkJson } from '@patchbay/contracts/base/check-json';
export { jsonTextOf, readJson } from '@patchbay/contracts/base/json-text';
export { didYouMean } from '@patchbay/contracts/base/names';
export { newId } from '@patchbay/contracts/base/type-id';
export { type ErrorCode, errorCodes } from '@patchbay/contracts/error-codes';
export { PatchbayError } from '@patchbay/contracts/errors';
export type { Scope } from '@patchbay/contracts/scopes';
export { tenantId } from '@patchbay/contracts/tenant';
export { checkPublicUrl } from '@patchbay/outbound/egress/public-url';
export { createTransport } from '@patchbay/outbound/transport/create-transport';
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
export { createMemoryCache } from './built-in/memory-cache.ts';
export { createMemoryRateLimiter } from './built-in/memory-rate-limiter.ts';
export type { AppConfig } from './config/app-config.ts';
export { defineConfig } from './config/app-config.ts';
export { changedOptions } from './config/changed-options.ts';
export { printConfig } from './config/config-entries.ts';
export { configJsonSchema } from './config/config-json-schema.ts';
export { filesOfConfig } from './config/files-of-config.ts';
export { inspectPlugin, installedPlugins } from './config/inspect-plugin.ts';
export { eventKinds, messageSchema } from './events/event-kinds.ts';
export { executionView, testView } from './functions/executions/create-execution-service.ts';
export { functionTypes } from './functions/types/function-types.ts';
export { gatewayRequestSchemas } from './gateway/request-schemas.ts';
export { outcomeOf } from './idempotency/idempotency-service.ts';
export { createRedactor } from './secrets/redactor.ts';
export { decimalUsd } from './usage/budgets.ts';
export { usageGroupings } from './usage/usage-service.ts';
