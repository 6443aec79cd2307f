/** Health of one part. `warn`: works, but an operator should look. `fail`: does not do its job. */
export interface Health {
  readonly status: 'pass' | 'warn' | 'fail';
  /** One sentence for an operator. Never a secret, and never a caller's data. */
  readonly detail?: string;
}

/**
 * The three moments every plugin may take part in. All are optional.
 *
 * The host starts plugins in the order of their dependencies and stops them in reverse. `create` of a plugin must not
 * do I/O; `start` is the place for it.
 */
export interface Lifecycle {
  /** Connect. `signal` aborts when the start timeout (10 s unless configured) has passed. A rejection stops the host. */
  start?(signal: AbortSignal): Promise<void>;
  /** Finish the work under way, then release everything. Called once, also after a failed start of another plugin. */
  stop?(): Promise<void>;
  /** Asked for by `/readyz` and operators; must answer within a second and be cheap. Default: `pass`. */
  health?(): Promise<Health>;
}
