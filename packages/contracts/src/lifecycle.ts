/** Health of one part. `warn`: works, but needs attention. `fail`: does not work. */
export interface Health {
  readonly status: 'pass' | 'warn' | 'fail';
  /** One sentence for an operator. Never a secret, and never a caller's data. */
  readonly detail?: string;
}

/**
 * The lifecycle hooks of a plugin. All are optional.
 *
 * The host starts plugins in the order of their dependencies and stops them in reverse. `create` of a plugin must not
 * perform I/O; `start` may.
 */
export interface Lifecycle {
  /** Connect. `signal` aborts when the start timeout (10 s unless configured) has passed. A rejection stops the host. */
  start?(signal: AbortSignal): Promise<void>;
  /** Finish work in progress, then release all resources. Called once, even if another plugin failed to start. */
  stop?(): Promise<void>;
  /** Used by `/readyz` and operators; must be cheap and resolve within a second. Default: `pass`. */
  health?(): Promise<Health>;
}
