import type { App } from '@patchbay/core';

/**
 * Which requests have a line in the log.
 *
 * - `all`: each
 * - `errors`: those with a status of 400 or more
 * - `sample`: errors, and one in a hundred of the others
 */
export type AccessLogMode = 'all' | 'errors' | 'sample';

export interface AccessLogOptions {
  /** Which requests are logged. Default: all. */
  readonly accessLog?: AccessLogMode;
}

const SAMPLED = 100;

/** A request, when its response is complete. */
export interface AccessLogEntry {
  readonly method: string;
  /** Never the path itself: names and tokens end up there. */
  readonly route: string | undefined;
  readonly status: number;
  readonly ms: number;
  readonly requestId: string;
  readonly tenant: string | undefined;
  readonly caller: string | undefined;
}

/** Logs requests. Those that need no credentials, such as health checks, are logged at `debug`, and in every mode. */
export class AccessLog {
  readonly #logger: App['host']['logger'];
  readonly #mode: AccessLogMode;
  #others = 0;

  constructor(logger: App['host']['logger'], { accessLog = 'all' }: AccessLogOptions) {
    this.#logger = logger;
    this.#mode = accessLog;
  }

  write(entry: AccessLogEntry, isPublic: boolean): void {
    if (isPublic) this.#logger.debug('request', entry);
    else if (this.#mode === 'all' || entry.status >= 400 || this.#isSampled()) this.#logger.info('request', entry);
  }

  #isSampled(): boolean {
    if (this.#mode === 'errors') return false;
    this.#others += 1;
    return this.#others % SAMPLED === 1;
  }
}
