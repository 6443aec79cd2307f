import { type App, newId } from '@patchbay/core';
import type { Principal } from '@patchbay/core/plugin';
import type { IncomingRequest } from './incoming-request.ts';
import type { Operation } from './operation.ts';
import type { ApiFormat } from './output/api-format.ts';
import { ownFormat } from './output/problem.ts';
import { isProtected, type Route, responseLabels } from './routing.ts';
import type { Admission, BodyShare, OpenRequestContext, Slot } from './service-types.ts';

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

/** Methods that are distinguished in metrics: a client can send any word. */
const known: ReadonlySet<string> = new Set(['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS']);

/** Milliseconds that a model call with an `Idempotency-Key` continues after its connection is lost. */
const LOST_CONNECTION_MS = 5_000;

/** The state of one request; written by the pipeline, read by the access log. */
export class Exchange {
  readonly requestId = newId('request');
  readonly request: IncomingRequest;
  route: Route | undefined;
  caller: Principal | undefined;
  /** Address of the client, even behind trusted proxies. */
  remoteAddress: string | undefined;
  /** State of the caller's limits. */
  standings: Admission['standings'] = [];
  context: OpenRequestContext | undefined;
  /** The slot among the concurrent requests of its kind. */
  slot: Slot | undefined;
  readonly #app: App;
  readonly #accessLog: AccessLog;
  readonly #started: number;
  /** Its share of the memory for bodies. */
  body: BodyShare | undefined;
  /** The member that holds the lines of a JSON Lines body. */
  lines: string | undefined;
  #left = false;
  #endsWhenLost: (() => Promise<boolean>) | undefined;
  #lostTimer: NodeJS.Timeout | undefined;
  #streams = false;
  #finished = false;

  constructor(app: App, request: IncomingRequest, accessLog: AccessLog) {
    this.#app = app;
    this.#accessLog = accessLog;
    this.request = request;
    this.#started = app.host.clock.monotonic();
  }

  /** The format of the endpoint that the request is for. */
  get format(): ApiFormat {
    const [first, ...others] = formatsOf(this.route?.operation);
    return others.find(({ mark }) => mark !== undefined && this.request.header(mark) !== undefined) ?? first;
  }

  /** The client disconnected. Its work is aborted, and counts as in progress until it has ended. */
  leave(): void {
    this.#left = true;
    if (!this.#endsWhenLost || this.#streams) this.cancel();
    else this.#lostTimer = setTimeout(() => void this.#endLost(), LOST_CONNECTION_MS);
    if (this.#streams) this.finish(499);
  }

  /** Cancel the work; its response goes to any client that still waits for it. */
  cancel(): void {
    this.context?.abort();
  }

  /**
   * Continue after the connection is lost, because the client can retry for the response. Streams always end.
   *
   * @param endsWhenLost Whether the work ends a few seconds later anyway.
   */
  detach(endsWhenLost: () => Promise<boolean>): void {
    this.#endsWhenLost = endsWhenLost;
  }

  /** The response is a stream: complete at its end, or when the client disconnects, whether it is read or not. */
  stream(): void {
    this.#streams = true;
    if (!this.#left) return;
    this.cancel();
    this.finish(499);
  }

  async #endLost(): Promise<void> {
    if ((await this.#endsWhenLost?.()) && !this.#finished) this.cancel();
  }

  /** The response is complete. Only the first call counts. */
  finish(answered: number): void {
    if (this.#finished) return;
    this.#finished = true;
    clearTimeout(this.#lostTimer);
    this.slot?.leave();
    this.body?.leave();
    this.context?.close();
    const { route, caller, requestId, request } = this;
    const status = this.#left ? 499 : answered;
    const ms = this.#app.host.clock.monotonic() - this.#started;
    const { method } = request;
    const labels =
      route?.operation.method === method
        ? route.labelsOf(status)
        : responseLabels(known.has(method) ? method : '_OTHER', route?.path ?? '', status);
    this.#app.host.telemetry.record('http.server.request.duration', ms / 1_000, labels);
    this.#accessLog.write(
      {
        method,
        route: route?.path,
        status,
        ms: Math.round(ms * 100) / 100,
        requestId,
        tenant: caller?.tenant,
        caller: caller?.id,
      },
      route?.operation.scope === 'public',
    );
  }
}

/** The formats of the failures of an endpoint. */
export function formatsOf(operation: Operation | undefined): readonly [ApiFormat, ...ApiFormat[]] {
  return (operation && isProtected(operation) ? operation.formats : undefined) ?? [ownFormat];
}
