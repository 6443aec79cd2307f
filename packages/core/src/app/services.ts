import type { PolicyOf } from '../access/tenant-policies.ts';
import type { CompleteConfig } from '../config/app-config.ts';
import type { Executor } from '../contracts/executor.ts';
import type { OpenHostCallsFor } from '../functions/host-calls/open-host-calls.ts';
import type { Deployments } from '../gateway/deployments.ts';
import type { AppServices } from './app-services.ts';
import type { MountedPlugins } from './mounted-plugins.ts';

/** Everything that follows from one config. Immutable: a reload builds another one, and requests end with the one they began with. */
export interface Services {
  readonly config: CompleteConfig;
  readonly plugins: MountedPlugins;
  /** The services that hosts and endpoints call. */
  readonly api: AppServices;
  /** Asks the authenticators, without a guard against guessing. */
  readonly authenticate: AppServices['authenticate'];
  /** Runs functions with code in the mounted executor, and those without by a model. */
  readonly executor: Executor;
  readonly openHostCalls: OpenHostCallsFor;
  readonly policyOf: PolicyOf;
  readonly deployments: Deployments;
}
