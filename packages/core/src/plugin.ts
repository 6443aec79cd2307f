/**
 * The entry for every plugin: `definePlugin`, the services of the host, errors, and the contracts of the kinds other than
 * providers and storages, which have separate entries. It has no runtime dependency, so that a plugin can be loaded,
 * read and tested without a host.
 *
 * @module
 */

export { joinSignals } from './base/signals.ts';
export type { Authenticator, KeyIssuer, RequestHead } from './contracts/authenticator.ts';
export type { Cache } from './contracts/cache.ts';
export type { Clock } from './contracts/clock.ts';
export type { ConfigOf, ConfigSchema, OptionSchema } from './contracts/config-schema.ts';
export type { CallingExecution, Logger, Principal, RequestContext } from './contracts/context.ts';
export { definePlugin, type Plugin } from './contracts/define-plugin.ts';
export { PatchbayError } from './contracts/errors.ts';
export type {
  ExecutionFailure,
  ExecutionJob,
  ExecutionOutcome,
  Executor,
  FunctionSource,
  HostCalls,
  LogLine,
  PreparedFunction,
} from './contracts/executor.ts';
export type { JsonObject, JsonValue } from './contracts/json.ts';
export type { Schema, SchemaType } from './contracts/json-schema.ts';
export type { Health } from './contracts/lifecycle.ts';
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
export {
  type RateCharge,
  type RateDecision,
  type RateLimiter,
  type RatePolicy,
  rateDecision,
} from './contracts/rate-limiter.ts';
export type { Candidate, RankedModel, RouteRequest, Router, TaskFit } from './contracts/router.ts';
export { type GrantedScope, isGrantedScope, operatorScopes, scopes } from './contracts/scopes.ts';
export type { RootSecret, Secrets } from './contracts/secrets.ts';
export type { Announce, Notice } from './contracts/services.ts';
export { createServiceRef, services } from './contracts/services.ts';
export type { Attributes, MetricSource, Span, Telemetry } from './contracts/telemetry.ts';
export { installationTenant, isTenantId, type TenantId, tenantId } from './contracts/tenant.ts';
export type { ServerTool, ToolServer } from './contracts/tool-server.ts';
export { type AddressFilter, createAddressFilter, plainAddress } from './egress/address-range.ts';
