import type { AppConfig } from '../config/app-config.ts';
import type { Clock } from '../contracts/clock.ts';
import type { Logger } from '../contracts/context.ts';
import type { Health } from '../contracts/lifecycle.ts';
import type { ServiceRef } from '../contracts/services.ts';
import type { Measuring } from '../telemetry/measuring.ts';
import type { ReloadReport } from './reload.ts';

/** How a running Patchbay is. */
export interface AppHealth {
  /** `ready`: takes requests. `degraded`: takes requests, a part fails. `draining`: stopping. */
  readonly status: 'ready' | 'degraded' | 'draining';
  /** By mount: `storage`, `executor`, `providers.openai`. */
  readonly parts: Readonly<Record<string, Health>>;
}

/** How a host runs an app: its health, metrics, reload and stop. */
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
  /** The metrics of this process, in the text format of Prometheus. They tell nothing of single tenants or callers. */
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
