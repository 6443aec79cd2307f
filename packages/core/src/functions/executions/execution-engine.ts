import { timestamp } from '@patchbay/contracts/base/clock';
import { Wakeup } from '@patchbay/contracts/base/signals';
import { notFound, retryRefused } from '@patchbay/contracts/base/stored-rows';
import type { Clock } from '@patchbay/contracts/clock';
import type { Logger, RequestContext } from '@patchbay/contracts/context';
import { PatchbayError } from '@patchbay/contracts/errors';
import type { LogLine } from '@patchbay/contracts/executor';
import { repeatedStatuses } from '@patchbay/contracts/function-settings';
import type { RateLimiter } from '@patchbay/contracts/rate-limiter';
import { type ExecutionRow, isEndedStatus } from '@patchbay/contracts/rows';
import type { Changes, CommitOptions, Storage, Write } from '@patchbay/contracts/storage';
import type { TenantId } from '@patchbay/contracts/tenant';
import {
  deadLetterCreated,
  executionEnded,
  type WebhookEvent,
  type WebhookOutbox,
} from '../../events/webhook-outbox.ts';
import type { Measuring } from '../../telemetry/measuring.ts';
import { commitStart, freeSlot, type LateStart, LateStarts, type StartOutcome } from './execution-starts.ts';
import type { InstanceLease } from './instance-lease.ts';
import type { RunExecution } from './run-execution.ts';

export interface EngineDependencies {
  readonly run: RunExecution;
  readonly storage: Storage;
  readonly clock: Clock;
  readonly logger: Logger;
  readonly instance: InstanceLease;
  /** Counts the runs of functions that limit how often they run. */
  readonly limiter: RateLimiter;
  readonly measuring: Pick<Measuring, 'count'>;
  /** Default: webhooks are not notified. */
  readonly outbox?: WebhookOutbox;
}

/**
 * Runs executions on behalf of this instance, and records their outcomes. Every write is conditional on the revision that this
 * process knows of the row, so an execution that another process has ended is not changed.
 */
export class ExecutionEngine {
  readonly storage: Storage;
  readonly clock: Clock;
  readonly logger: Logger;
  readonly instance: InstanceLease;
  readonly limiter: RateLimiter;
  readonly measuring: Pick<Measuring, 'count'>;
  readonly outbox: WebhookOutbox | undefined;
  /** Run a recorded execution. The caller records the outcome. */
  readonly run: RunExecution;
  readonly running = new RunningExecutions();
  readonly starts: LateStarts;

  constructor({ run, storage, clock, logger, instance, limiter, measuring, outbox }: EngineDependencies) {
    this.run = run;
    this.storage = storage;
    this.starts = new LateStarts(storage);
    this.clock = clock;
    this.logger = logger;
    this.instance = instance;
    this.limiter = limiter;
    this.measuring = measuring;
    this.outbox = outbox;
  }

  /** Register a run. The caller must call `end` of the result. */
  open(id: string, context: RequestContext, attempt = 1): RunningExecution {
    return this.running.open(id, context, this.clock.monotonic(), attempt);
  }

  /** The fields of an execution that this instance runs. */
  async ownership(): Promise<Pick<ExecutionRow, 'status' | 'owner'>> {
    if (this.clock.monotonic() > this.instance.freshUntil) await this.instance.renew();
    return { status: 'running', owner: this.instance.id };
  }

  /** Take an execution from the queue. */
  async start(tenant: TenantId, row: ExecutionRow): Promise<ExecutionRow | Exclude<StartOutcome, 'started'>> {
    const { id, revision } = row;
    await this.running.writeKeptOf(id);
    const set = { ...(await this.ownership()), attempt: (row.attempt ?? 0) + 1 };
    const write = { update: 'executions', id, set, ifRevision: revision } as const;
    const started = { ...row, ...set, revision: revision + 1 };
    try {
      const outcome = await commitStart(this, tenant, row, write);
      return outcome === 'started' ? started : outcome;
    } catch (error) {
      // It may have been written nevertheless, for instance if the connection broke after the commit; but no process
      // runs it.
      this.running.keep(id, () => this.#undoStart(tenant, started, row.attempt));
      throw error;
    }
  }

  /** Nothing if it was not written: the revision may be that of another write by now, such as the end of the execution. */
  async #undoStart(tenant: TenantId, started: ExecutionRow, attempt: ExecutionRow['attempt']): Promise<void> {
    const row = await this.storage.get(tenant, 'executions', started.id);
    const { status, owner, revision } = row ?? {};
    if (status !== 'running' || owner !== started.owner || revision !== started.revision) return;
    await this.#commit({ tenant, started, set: { status: 'queued', owner: null, attempt } });
  }

  /** Record an execution that this instance runs while its caller waits. */
  async record(tenant: TenantId, row: ExecutionRow, options: CommitOptions): Promise<StartOutcome> {
    try {
      return await commitStart(this, tenant, row, { insert: 'executions', row }, options);
    } catch (error) {
      // As above. Its id is not known outside.
      const { id, revision, policy } = row;
      const undone = { delete: 'executions', id, ifRevision: revision } as const;
      this.running.keep(id, () => this.storage.commit(tenant, [undone, ...freeSlot({ id, policy })]));
      throw error;
    }
  }

  /**
   * Record the outcome of an execution.
   *
   * @param late Its start, if that may not be stored.
   * @returns The resulting row, whichever process ended it.
   */
  async close(
    tenant: TenantId,
    started: ExecutionRow,
    changes: Changes<'executions'>,
    late?: LateStart,
  ): Promise<ExecutionRow> {
    const set = { error: null, ...changes, owner: null, completedAt: timestamp(this.clock) };
    const isStored = late === undefined || (await late.end());
    return await this.#write({ tenant, started, set, isStored });
  }

  /** Put an execution back into the queue. False if another process has ended it. */
  async requeue(tenant: TenantId, started: ExecutionRow, changes: Changes<'executions'> = {}): Promise<boolean> {
    const set = { ...changes, status: 'queued', owner: null } as const;
    return (await this.#write({ tenant, started, set })).status === 'queued';
  }

  /**
   * Cancel an execution, and resolve once it no longer runs in this process. One that runs in another process
   * is marked first, and ended by that process when it notices.
   *
   * @throws PatchbayError `execution_not_found`; `conflict` if it has ended in another way.
   */
  async cancel(tenant: TenantId, id: string): Promise<ExecutionRow> {
    return await retryRefused('too many concurrent changes to the execution; read it again', async () => {
      const row = await this.storage.get(tenant, 'executions', id);
      if (row === undefined) throw notFound('executions');
      if (row.status === 'cancelled') return row;
      if (isEndedStatus(row.status)) {
        throw new PatchbayError('conflict', `the execution has already ended: ${row.status}`);
      }
      const run = this.running.get(id);
      if (run !== undefined && row.status === 'running') {
        run.abort('cancel');
        await run.ended;
        return undefined;
      }
      const error = { code: 'cancelled', message: 'The execution was cancelled' };
      const completedAt = timestamp(this.clock);
      const set = { status: 'cancelled', error, owner: null, completedAt } as const;
      const closed = await this.#commit({ tenant, started: row, set });
      return closed.status === 'cancelled' ? closed : undefined;
    });
  }

  /** Write what could not be written while the storage was unavailable. */
  async writeKept(): Promise<void> {
    await this.running.writeKept();
  }

  async #write(end: UnwrittenEnd): Promise<ExecutionRow> {
    try {
      return await this.#commit(end);
    } catch (error) {
      this.logger.error('an execution could not be closed; it is retried', { executionId: end.started.id, error });
      this.running.keep(end.started.id, () => this.#commit(end));
      throw error;
    }
  }

  async #commit({ tenant, started, set, isStored = true }: UnwrittenEnd): Promise<ExecutionRow> {
    const { storage, outbox } = this;
    const { id, revision } = started;
    const next = { ...started, ...set, revision: isStored ? revision + 1 : revision };
    const after = next.completedAt === null ? next : endedRow(next);
    const events = outbox && after.completedAt !== null ? await outbox.writes(tenant, eventsOf(after)) : [];
    const { deadLetter } = after;
    const write = isStored
      ? ({ update: 'executions', id, set: deadLetter ? { ...set, deadLetter } : set, ifRevision: revision } as const)
      : ({ insert: 'executions', row: after } as const);
    const { done } = await storage.commit(tenant, [write, ...freeSlot(started), ...events]);
    if (done && events.length > 0) outbox?.notify();
    if (done) return after;
    const row = await storage.get(tenant, 'executions', id);
    // Its start was stored by a commit that seemed to fail.
    if (!isStored && row?.status === 'running') return await this.#commit({ tenant, started: row, set });
    return row ?? { ...started, ...set };
  }
}

/** The logs of a run so far. The executor limits their size. */
class RunLogs {
  /** Wakes at each line, and at the end of the run. */
  readonly changed = new Wakeup();
  readonly #lines: LogLine[] = [];

  get lines(): readonly LogLine[] {
    return this.#lines;
  }

  add(line: LogLine): void {
    this.#lines.push(line);
    this.changed.wake();
  }
}

/** A run in this process. */
export interface RunningExecution {
  readonly id: string;
  readonly tenant: TenantId;
  /** Of the monotonic clock. */
  readonly startedAt: number;
  /** That of the request, with a signal that `abort` also aborts. */
  readonly context: RequestContext;
  /** 1 for the first run of an execution. */
  readonly attempt: number;
  readonly logs: RunLogs;
  /** The first reason to end the run. */
  readonly cause: 'context' | 'cancel' | 'elsewhere' | undefined;
  /** Settles when the run has ended and its outcome is written. */
  readonly ended: Promise<void>;
  abort(cause: 'cancel' | 'elsewhere'): void;
  /** Its outcome was written, or cannot be written. */
  end(): void;
}

/** An outcome that is to be written. */
interface UnwrittenEnd {
  readonly tenant: TenantId;
  readonly started: ExecutionRow;
  readonly set: Changes<'executions'>;
  /** Whether the storage has the row already. Default: true. */
  readonly isStored?: boolean;
}

/** The runs of this process. */
export class RunningExecutions {
  readonly #runs = new Map<string, RunningExecution>();
  readonly #expected = new Map<string, Wakeup>();
  #draining = false;
  readonly #unwritten = new Map<string, () => Promise<void>>();

  get(id: string): RunningExecution | undefined {
    return this.#runs.get(id);
  }

  ofTenant(tenant: TenantId, id: string): RunningExecution | undefined {
    const run = this.#runs.get(id);
    return run?.tenant === tenant ? run : undefined;
  }

  /** Whether no further queued executions are started. */
  get isDraining(): boolean {
    return this.#draining;
  }

  drain(): void {
    this.#draining = true;
    for (const wakeup of this.#expected.values()) wakeup.wake();
  }

  /** Resolves once a run of this execution begins, or after a timeout. */
  async opened(id: string, signal: AbortSignal, ms: number): Promise<void> {
    const wakeup = this.#expected.get(id) ?? new Wakeup();
    this.#expected.set(id, wakeup);
    await wakeup.wait(signal, ms);
    if (!wakeup.isAwaited) this.#expected.delete(id);
  }

  /** Runs with at least this duration. */
  longerThan(ms: number, now: number): readonly RunningExecution[] {
    return [...this.#runs.values()].filter(({ startedAt }) => now - startedAt >= ms);
  }

  /** Register a run, before any other part can know of it. */
  open(id: string, context: RequestContext, startedAt: number, attempt: number): RunningExecution {
    const controller = new AbortController();
    const logs = new RunLogs();
    const { promise, resolve } = Promise.withResolvers<void>();
    const { signal: outer } = context;
    let cause: RunningExecution['cause'];
    const abortFor = (reason: NonNullable<RunningExecution['cause']>, why: unknown) => {
      cause ??= reason;
      controller.abort(why);
    };
    const onOuter = () => abortFor('context', outer.reason);
    if (outer.aborted) onOuter();
    else outer.addEventListener('abort', onOuter, { once: true });
    const run: RunningExecution = {
      id,
      tenant: context.caller.tenant,
      startedAt,
      attempt,
      logs,
      context: { ...context, signal: controller.signal },
      get cause() {
        return cause;
      },
      ended: promise,
      abort: (reason) => abortFor(reason, new DOMException('The execution was cancelled', 'AbortError')),
      end: () => {
        outer.removeEventListener('abort', onOuter);
        this.#runs.delete(id);
        logs.changed.wake();
        resolve();
      },
    };
    this.#runs.set(id, run);
    this.#expected.get(id)?.wake();
    return run;
  }

  /** Keep what is to be written of an execution until the storage is back. */
  keep(id: string, write: () => Promise<unknown>): void {
    let attempt: Promise<void> | undefined;
    const tryOnce = async (): Promise<void> => {
      try {
        await write();
        // Meanwhile there may be another one.
        if (this.#unwritten.get(id) === kept) this.#unwritten.delete(id);
      } finally {
        attempt = undefined;
      }
    };
    const kept = (): Promise<void> => {
      attempt ??= tryOnce();
      return attempt;
    };
    this.#unwritten.set(id, kept);
  }

  /**
   * Write what is kept of one execution, before anything else is written of it.
   *
   * @throws The error of the storage.
   */
  async writeKeptOf(id: string): Promise<void> {
    await this.#unwritten.get(id)?.();
  }

  /**
   * Try all kept writes. One that the storage rejects does not block others.
   *
   * @throws The error of the last failed write.
   */
  async writeKept(): Promise<void> {
    let failure: { readonly error: unknown } | undefined;
    for (const write of this.#unwritten.values()) {
      try {
        await write();
      } catch (error) {
        // The others would wait in vain.
        if (PatchbayError.is(error) && error.code === 'storage_unavailable') throw error;
        failure = { error };
      }
    }
    if (failure) throw failure.error;
  }
}

/** An execution that has ended, as it is stored: an asynchronous one that did not complete is a dead letter. */
export function endedRow(row: ExecutionRow): ExecutionRow {
  const isDead = row.principal !== null && (repeatedStatuses as readonly string[]).includes(row.status);
  return isDead ? { ...row, deadLetter: 'open' } : row;
}

/** The events of an execution that has ended. */
export function eventsOf(row: ExecutionRow): readonly WebhookEvent[] {
  return row.deadLetter === 'open' ? [executionEnded(row), deadLetterCreated(row)] : [executionEnded(row)];
}

/** Take a dead letter off the list, unless another caller was faster. Nothing for other executions. */
export function settling({ id, revision, deadLetter }: DeadLetter): readonly Write[] {
  if (deadLetter !== 'open') return [];
  const set: Changes<'executions'> = { deadLetter: 'settled' };
  return [{ update: 'executions', id, set, ifRevision: revision }];
}

type DeadLetter = Pick<ExecutionRow, 'id' | 'revision' | 'deadLetter'>;
