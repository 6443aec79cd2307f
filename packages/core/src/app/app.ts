import type { Credentials, RequestHead } from '@patchbay/contracts/authenticator';
import type { Clock } from '@patchbay/contracts/clock';
import type { Logger, Principal } from '@patchbay/contracts/context';
import type { Health } from '@patchbay/contracts/lifecycle';
import { createServiceRef, type ServiceRef } from '@patchbay/contracts/services';
import type { TenantId } from '@patchbay/contracts/tenant';
import type { TenantPolicy } from '@patchbay/contracts/tenant-policy';
import type { KeyService } from '../access/key-service.ts';
import type { SessionService } from '../access/session-service.ts';
import type { TenantService } from '../access/tenant-service.ts';
import type { AuditLog } from '../audit/audit-log.ts';
import type { AppConfig } from '../config/app-config.ts';
import type { ExperimentService } from '../experiments/experiment-service.ts';
import type { FeedbackService } from '../feedback/feedback-service.ts';
import type { FunctionPrompts } from '../functions/as-tools/function-prompts.ts';
import type { FunctionTools } from '../functions/as-tools/function-tools.ts';
import type { CallService } from '../functions/calls/call-service.ts';
import type { CodeMode } from '../functions/code-mode/code-mode.ts';
import type { DatasetService } from '../functions/dataset/dataset-service.ts';
import type { ExecutionService } from '../functions/executions/execution-service.ts';
import type { FunctionService } from '../functions/function-service.ts';
import type { ObservedNameService } from '../functions/observed-names/observed-name-service.ts';
import type { ScheduleService } from '../functions/schedules/schedule-service.ts';
import type { GatewayService } from '../gateway/gateway-service.ts';
import type { KeptItems } from '../gateway/kept-items.ts';
import type { IdempotencyService } from '../idempotency/idempotency-service.ts';
import type { RequestLimits } from '../limits/request-limits.ts';
import type { SettingsService } from '../settings/settings-service.ts';
import type { Measuring } from '../telemetry/measuring.ts';
import type { CallRecordService } from '../usage/call-record-service.ts';
import type { UsageService } from '../usage/usage-service.ts';
import type { WebhookService } from '../webhooks/webhook-service.ts';

/**
 * A running Patchbay, without any transport: what `createApp` resolves to, and what the binders of `@patchbay/http`
 * serve on a socket. Disposing of it stops it.
 */
export interface App extends AsyncDisposable {
  readonly services: AppServices;
  readonly host: AppHost;
}

/** The app itself, as a service in the container of the host. */
export const appRef = createServiceRef<App>('app');

/** The differences between the active config and that of a reload, by path: `providers.openai`, `limits`. */
export interface ReloadReport {
  /** Applied changes. */
  readonly changed: readonly string[];
  /** Changes that take effect at the next start. */
  readonly needsRestart: readonly string[];
}

/** The state of a running Patchbay. */
export interface AppHealth {
  /** `ready`: accepts requests. `degraded`: accepts requests while a part fails. `draining`: stopping. */
  readonly status: 'ready' | 'degraded' | 'draining';
  /** By mount: `storage`, `executor`, `providers.openai`. */
  readonly parts: Readonly<Record<string, Health>>;
}

/** Operation of an app by its host: health, metrics, reload and stop. */
export interface AppHost {
  readonly clock: Clock;
  readonly logger: Logger;
  /** Redact the secrets of the config, and anything that looks like a key or token, in a string. */
  redact(text: string): string;
  /** Aborts when the drain deadline of `stop` has passed. Every request's signal follows it. */
  readonly signal: AbortSignal;
  /**
   * Resolves at the end of the current turn of the event loop, for everybody who waits in it at once: they then run in lockstep,
   * with the code of each step in the caches of the CPU. The API awaits it before each request.
   */
  endOfTurn(): Promise<void>;
  /** Resolve a service by its ref, for hosts that inject parts of Patchbay into their own objects. */
  resolve<T>(ref: ServiceRef<T>): T;
  health(): Promise<AppHealth>;
  /** Telemetry for the host's own measurements: exposed with the metrics and sent to the mounted telemetry plugin. */
  readonly telemetry: Measuring;
  /** The metrics of this process, in the text format of Prometheus. They contain nothing about single tenants or callers. */
  metrics(): Promise<string>;
  /**
   * Apply another config: validated and started first, then swapped atomically. Requests in progress finish with the services
   * they started with; later ones use the new config. Changes that require a restart are reported and not applied.
   *
   * @param config The config, or a function that reads it, so that metrics include configs that could not be read.
   * @throws PatchbayError As `createApp`. The active config is then unchanged.
   */
  reload(config: AppConfig | (() => Promise<AppConfig>)): Promise<ReloadReport>;
  /**
   * Set `health` to `draining` and continue to accept requests: for the time before `stop` that load balancers need to
   * notice.
   */
  announceStop(): void;
  /**
   * Stop: `health` changes to `draining` immediately, requests in progress may finish for `drainMs` (default 10 s), then `signal`
   * aborts and all plugins stop in reverse order. Resolves when everything is released, even on a second call.
   *
   * @throws AggregateError with the failures of the plugins that did not stop cleanly.
   */
  stop(drainMs?: number): Promise<void>;
  /**
   * Register a request in progress; `stop` waits until `done` was called. `onAbort` is called once if the drain
   * deadline passes before that; unlike a listener on `signal`, its cost does not depend on the number of requests.
   *
   * @throws PatchbayError `shutting_down` once `stop` was called.
   */
  track(onAbort?: (reason: unknown) => void): { done(): void };
}

/** The services of an app, for its endpoints and for direct calls by a host. They stay valid after a reload. */
export interface AppServices {
  readonly functions: FunctionService;
  readonly executions: ExecutionService;
  /** The functions that agents see as tools. */
  readonly functionTools: FunctionTools;
  /** The settings of functions that agents see as prompts. */
  readonly functionPrompts: FunctionPrompts;
  /** For agents with many functions: programs that find, type and call them. */
  readonly codeMode: CodeMode;
  readonly gateway: GatewayService;
  /** The items of responses that clients can name, instead of sending them again. */
  readonly keptItems: KeptItems;
  readonly settings: SettingsService;
  readonly calls: CallService;
  readonly observedNames: ObservedNameService;
  readonly webhooks: WebhookService;
  readonly keys: KeyService;
  /** Browser sessions in the console. */
  readonly sessions: SessionService;
  /** The tenants of the installation, for its operator. */
  readonly tenants: TenantService;
  /** The audit log: changes with their callers and times. */
  readonly audit: Pick<AuditLog, 'list' | 'verify'>;
  /** Rate and concurrency limits. Hosts check them before they process a request. */
  readonly limits: RequestLimits;
  readonly usage: UsageService;
  /** Experiments between versions of the settings of functions. */
  readonly experiments: ExperimentService;
  /** How calls were answered. */
  readonly callRecords: CallRecordService;
  /** Examples of functions. */
  readonly datasets: DatasetService;
  /** Scheduled runs of functions. */
  readonly schedules: ScheduleService;
  /** How good answers were. */
  readonly feedback: FeedbackService;
  /** For hosts: runs requests with an `Idempotency-Key` once. */
  readonly idempotency: IdempotencyService;
  /**
   * Authenticate a token or request with the mounted authenticators, in order.
   *
   * @throws PatchbayError `unauthenticated` for a request without credentials; `invalid_token`, `token_expired` or
   *   `key_revoked`; `rate_limited` for an address with too many failures.
   */
  authenticate(presented: Credentials | RequestHead): Promise<Principal>;
  /** The issuers of OAuth access tokens, by the resource (audience) that their tokens are for. */
  tokenIssuers(): ReadonlyMap<string, readonly string[]>;
  /** The models, functions and limits that the operator grants a tenant. */
  policyOf(tenant: TenantId): TenantPolicy;
}
