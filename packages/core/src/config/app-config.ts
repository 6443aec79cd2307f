import type { Plugin } from '../contracts/define-plugin.ts';
import type { FunctionSettings } from '../contracts/function-settings.ts';
import type { Kind } from '../contracts/kinds.ts';
import type { LimitsConfig } from '../contracts/limits-config.ts';
import type { DynamicCalls, TenantPolicy } from '../contracts/tenant-policy.ts';
import type { FunctionGrant } from '../functions/host-calls/function-grant.ts';
import type { ModelOverrides } from '../gateway/model-catalog.ts';

/** One plugin, put in place. */
export interface Mount<K extends Kind = Kind> {
  /** The plugin itself; in a config file, its package name or a `./path`. */
  readonly use: Plugin<K> | string;
  /** Options of the plugin, checked against its schema. */
  readonly with?: object;
  /** A failure to start makes the host `degraded` instead of stopping it. */
  readonly optional?: boolean;
}

/** How long and how large executions may be. */
export interface ExecutionsConfig {
  /** Wall time of one execution in milliseconds. Default 10,000, at most 60,000. */
  readonly timeoutMs?: number;
  /** Bytes of output. Default 1 MiB. */
  readonly outputBytes?: number;
  /** Bytes of logs that are kept. Default 64 KiB. */
  readonly logBytes?: number;
  /** Wall time of an execution that nobody waits for, in milliseconds. Default 60,000, at most 900,000. */
  readonly asyncTimeoutMs?: number;
  /** Executions out of the queue that this process runs at the same time. Default 2. */
  readonly asyncConcurrency?: number;
  /** Executions of one tenant that may wait at the same time. Default 10,000. */
  readonly maxQueued?: number;
  /** How often an execution out of the queue is started, where it is not the function that fails. Default 10. */
  readonly maxAttempts?: number;
  /** Start an execution out of the queue once more when its server died or stopped. Default false. */
  readonly retryInterrupted?: boolean;
  /**
   * Milliseconds without a sign of life after which a process is taken for dead, and what it was running for
   * interrupted; at least 1000. Default 15000.
   */
  readonly leaseMs?: number;
  /** Days after which executions that have ended are deleted. Default: never. */
  readonly keepDays?: number;
}

/** What the code of functions may ask of the server. */
export interface FunctionsConfig {
  /** Calls of its context that one execution may make: to models, to other functions, to the network. Default 100. */
  readonly maxCalls?: number;
  /** The requests that code sends by way of the server. */
  readonly fetch?: {
    /** Milliseconds for one of them, redirects included. Default 10,000. */
    readonly timeoutMs?: number;
    /** Bytes that an answer may have. Default 1 MiB. */
    readonly responseBytes?: number;
  };
  /** Which functions may reach what. Default: none, nothing. */
  readonly grants?: readonly FunctionGrant[];
  /**
   * Settings by name of the function, or by a pattern such as `summarize*`. Of two that fit, the later one wins; what
   * is stored with a function goes before both.
   */
  readonly settings?: Readonly<Record<string, FunctionSettings>>;
  /** Which functions that nobody stored may be called by name. Default `declared`. */
  readonly dynamicCalls?: DynamicCalls;
  /** The label of the stored settings that calls go by. Default `production`. */
  readonly settingsLabel?: string;
}

/** What is kept of what callers used. */
export interface UsageConfig {
  /** Days for which single calls are kept. The sums of each hour are kept for good. Default 30. */
  readonly retentionDays?: number;
}

/** Webhooks: how many there may be, and where events may be sent. */
export interface WebhooksConfig {
  /** Webhooks that a tenant may have. Default 20, at most 100. */
  readonly maxPerTenant?: number;
  /** Deliveries that one server begins in a second, so that its API stays quick. Default 300. */
  readonly maxPerSecond?: number;
  /**
   * Private ranges in CIDR notation that events may be sent to, over http as well: `127.0.0.0/8`, `10.1.0.0/16`.
   * Default: none.
   */
  readonly allow?: readonly string[];
  /** Ports of public addresses. Default 443 and 8443. */
  readonly ports?: readonly number[];
  /** Milliseconds that a receiver may take to answer. Default 15,000. */
  readonly timeoutMs?: number;
  /** Days for which events and their deliveries are kept. Default 30. */
  readonly keepDays?: number;
}

/** How requests to models are served. */
export interface GatewayConfig {
  /** Milliseconds for one request, all models that are tried for it together. Default 120,000. */
  readonly timeoutMs?: number;
  /** What you know better than the providers' tables, by model id: prices, limits, capabilities. */
  readonly models?: ModelOverrides;
}

/**
 * Which plugins make up a Patchbay: the config file, and the argument of `createApp`. Kinds that can be mounted once
 * are keys of their own; providers and authenticators are named.
 */
export interface AppConfig {
  /** Version of this format. */
  readonly patchbay: 1;
  readonly storage?: Mount<'storage'>;
  readonly executor?: Mount<'executor'>;
  readonly providers?: Readonly<Record<string, Mount<'provider'>>>;
  readonly router?: Mount<'router'>;
  readonly authenticators?: Readonly<Record<string, Mount<'authenticator'>>>;
  readonly rateLimiter?: Mount<'rateLimiter'>;
  readonly cache?: Mount<'cache'>;
  readonly queue?: Mount<'queue'>;
  readonly telemetry?: Mount<'telemetry'>;
  readonly secrets?: Mount<'secrets'>;
  readonly executions?: ExecutionsConfig;
  readonly functions?: FunctionsConfig;
  readonly gateway?: GatewayConfig;
  /** What tenants may use, by tenant; `*` is for all that are not named. Default: everything. */
  readonly tenants?: Readonly<Record<string, TenantPolicy>>;
  readonly limits?: LimitsConfig;
  readonly usage?: UsageConfig;
  readonly webhooks?: WebhooksConfig;
  /** The root secret, at least 32 characters. Default: read from `secretFile`. */
  readonly secret?: string;
  /** File with the root secret, made with mode 0600 where it does not exist. Without both: random for each start. */
  readonly secretFile?: string;
  /** Root secrets of before, newest first: what was made under them still works. */
  readonly previousSecrets?: readonly string[];
  /** Run the migrations of the storage at start. Default true. */
  readonly autoMigrate?: boolean;
  /** Milliseconds that one plugin may take to start. Default 10,000. */
  readonly startTimeoutMs?: number;
}
