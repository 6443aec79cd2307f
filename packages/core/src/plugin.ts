/**
 * The entry for every plugin: `definePlugin`, the services of the host, errors, and the contracts of the kinds other than
 * providers and storages, which have separate entries. It has no runtime dependency, so that a plugin can be loaded,
 * read and tested without a host.
 *
 * @module
 */

export type { Authenticator, KeyIssuer, RequestHead } from '@patchbay/contracts/authenticator';
export { joinSignals } from '@patchbay/contracts/base/signals';
export type { Cache } from '@patchbay/contracts/cache';
export type { Clock } from '@patchbay/contracts/clock';
export type { ConfigOf, ConfigSchema, OptionSchema } from '@patchbay/contracts/config-schema';
export type { CallingExecution, Logger, Principal, RequestContext } from '@patchbay/contracts/context';
export { definePlugin, type Plugin } from '@patchbay/contracts/define-plugin';
export { PatchbayError } from '@patchbay/contracts/errors';
export type {
  ExecutionFailure,
  ExecutionJob,
  ExecutionOutcome,
  Executor,
  FunctionSource,
  HostCalls,
  LogLine,
  PreparedFunction,
} from '@patchbay/contracts/executor';
export type { JsonObject, JsonValue } from '@patchbay/contracts/json';
export type { Schema, SchemaType } from '@patchbay/contracts/json-schema';
export type { Health } from '@patchbay/contracts/lifecycle';
export type {
  ConsumeOptions,
  Consumer,
  DeadJob,
  Job,
  JobHandler,
  NewJob,
  Postponement,
  Queue,
} from '@patchbay/contracts/queue';
export {
  type RateCharge,
  type RateDecision,
  type RateLimiter,
  type RatePolicy,
  rateDecision,
} from '@patchbay/contracts/rate-limiter';
export type { Candidate, RankedModel, RouteRequest, Router, TaskFit } from '@patchbay/contracts/router';
export { type GrantedScope, isGrantedScope, operatorScopes, scopes } from '@patchbay/contracts/scopes';
export type { RootSecret, Secrets } from '@patchbay/contracts/secrets';
export type { Announce, Notice } from '@patchbay/contracts/services';
export { createServiceRef, services } from '@patchbay/contracts/services';
export type { Attributes, MetricSource, Span, Telemetry } from '@patchbay/contracts/telemetry';
export { installationTenant, isTenantId, type TenantId, tenantId } from '@patchbay/contracts/tenant';
export type { ServerTool, ToolServer } from '@patchbay/contracts/tool-server';
export { type AddressFilter, createAddressFilter, plainAddress } from '@patchbay/outbound/egress/address-range';
