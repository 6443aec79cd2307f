import type { KeyService } from '../access/key-service.ts';
import type { AuditLog } from '../audit/audit-log.ts';
import type { AppConfig } from '../config/app-config.ts';
import type { Credentials, RequestHead } from '../contracts/authenticator.ts';
import type { Clock } from '../contracts/clock.ts';
import type { Logger, Principal } from '../contracts/context.ts';
import type { Health } from '../contracts/lifecycle.ts';
import { createServiceRef, type ServiceRef } from '../contracts/services.ts';
import type { TenantId } from '../contracts/tenant.ts';
import type { TenantPolicy } from '../contracts/tenant-policy.ts';
import type { CallService } from '../functions/calls/call-service.ts';
import type { ExecutionService } from '../functions/executions/execution-service.ts';
import type { FunctionService } from '../functions/function-service.ts';
import type { ObservedNameService } from '../functions/observed-names/observed-name-service.ts';
import type { GatewayService } from '../gateway/gateway-service.ts';
import type { IdempotencyService } from '../idempotency/idempotency-service.ts';
import type { RequestLimits } from '../limits/request-limits.ts';
import type { SettingsService } from '../settings/settings-service.ts';
import type { Measuring } from '../telemetry/measuring.ts';
import type { UsageService } from '../usage/usage-service.ts';
import type { WebhookService } from '../webhooks/webhook-service.ts';

/**
 * A running Patchbay, without any transport: what `createApp` resolves to, and what the binders of `@patchbay/http`
 * put on a socket. Disposing of it stops it.
 */
export interface App extends AsyncDisposable {
  readonly services: AppServices;
  readonly host: AppHost;
}

/** The app itself, among the services of the container that the host brought. */
export const appRef = createServiceRef<App>('app');

/** The differences between the config in force and that of a reload, by place: `providers.openai`, `limits`. */
export interface ReloadReport {
  /** Different from now on. */
  readonly changed: readonly string[];
  /** Different as well, and as before until the next start. */
  readonly needsRestart: readonly string[];
}

/** The state of a running Patchbay. */
export interface AppHealth {
  /** `ready`: takes requests. `degraded`: takes requests, a part fails. `draining`: stopping. */
  readonly status: 'ready' | 'degraded' | 'draining';
  /** By mount: `storage`, `executor`, `providers.openai`. */
  readonly parts: Readonly<Record<string, Health>>;
}

/** Everything a host runs an app by: its health, metrics, reload and stop. */
export interface AppHost {
  readonly clock: Clock;
  readonly logger: Logger;
  /** A text without the secrets of the config, and without what looks like a key or token. */
  redact(text: string): string;
  /** Aborts when the drain deadline of `stop` has passed. Every request's signal follows it. */
  readonly signal: AbortSignal;
  /** A service by its ref, for hosts that wire parts of Patchbay into their own objects. */
  resolve<T>(ref: ServiceRef<T>): T;
  health(): Promise<AppHealth>;
  /** Where hosts measure what they do: it is among the metrics, and goes to the telemetry plugin that is mounted. */
  readonly telemetry: Measuring;
  /** The metrics of this process, in the text format of Prometheus. They contain nothing about single tenants or callers. */
  metrics(): Promise<string>;
  /**
   * Go on with another config: checked and started first, then swapped at once. Requests under way end with what they
   * began with; the next ones find the new config. What takes a restart stays as it is, and is named.
   *
   * @param config Or what reads it, so that the metrics tell of a config that could not be read as well.
   * @throws PatchbayError As `createApp`. Then nothing has changed.
   */
  reload(config: AppConfig | (() => Promise<AppConfig>)): Promise<ReloadReport>;
  /**
   * Have `health` say `draining` from now on, and go on taking requests: for the time before `stop` in which load
   * balancers notice.
   */
  announceStop(): void;
  /**
   * Stop: `health` says `draining` at once, requests under way may finish for `drainMs` (default 10 s), then `signal`
   * aborts and all plugins stop in reverse order. Resolves when everything is released; a second call waits as well.
   *
   * @throws AggregateError with the failures of the plugins that did not stop cleanly.
   */
  stop(drainMs?: number): Promise<void>;
  /**
   * Announce one request under way; `stop` waits until `done` was called. `onAbort` is called once if the drain
   * deadline passes before that: a listener on `signal` that costs the same among any number of requests.
   *
   * @throws PatchbayError `shutting_down` once `stop` was called.
   */
  track(onAbort?: (reason: unknown) => void): { done(): void };
}

/** The services of an app, for its endpoints and for a host to call itself. They stay valid after a reload. */
export interface AppServices {
  readonly functions: FunctionService;
  readonly executions: ExecutionService;
  readonly gateway: GatewayService;
  readonly settings: SettingsService;
  readonly calls: CallService;
  readonly observedNames: ObservedNameService;
  readonly webhooks: WebhookService;
  readonly keys: KeyService;
  /** The audit log: who changed what, and when. */
  readonly audit: Pick<AuditLog, 'list'>;
  /** Rate and concurrency limits: hosts check them before anything else is done for a request. */
  readonly limits: RequestLimits;
  readonly usage: UsageService;
  /** For hosts: has requests with an `Idempotency-Key` run once. */
  readonly idempotency: IdempotencyService;
  /**
   * Ask the mounted authenticators in order who is behind a token, or behind a request.
   *
   * @throws PatchbayError `unauthenticated` for a request without credentials; `invalid_token`, `token_expired` or
   *   `key_revoked`; `rate_limited` for an address that had too many of these.
   */
  authenticate(presented: Credentials | RequestHead): Promise<Principal>;
  /** The models, functions and limits that the operator grants a tenant. */
  policyOf(tenant: TenantId): TenantPolicy;
}
