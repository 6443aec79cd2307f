import { type GrantedScope, type Logger, type Principal, type RequestContext, tenantId } from '@patchbay/core/plugin';

const silent: Logger = { debug() {}, info() {}, warn() {}, error() {} };

/** Options of `testContext`; everything else has a plain default. */
export interface TestContextOptions {
  readonly tenant?: string;
  readonly scopes?: readonly GrantedScope[];
  readonly signal?: AbortSignal;
  readonly logger?: Logger;
}

/**
 * A request context for calling a plugin directly.
 *
 * @example
 * ```ts
 * import { testContext } from '@patchbay/testing';
 *
 * const controller = new AbortController();
 * const context = testContext({ tenant: 'acme', signal: controller.signal });
 * ```
 */
export function testContext(options: TestContextOptions = {}): RequestContext {
  const caller: Principal = {
    id: 'key_test',
    kind: 'api-key',
    tenant: tenantId(options.tenant ?? 'test'),
    scopes: options.scopes ?? ['*'],
  };
  return {
    requestId: 'request_test',
    caller,
    signal: options.signal ?? new AbortController().signal,
    logger: options.logger ?? silent,
  };
}
