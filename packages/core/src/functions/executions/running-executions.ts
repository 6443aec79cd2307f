import { Wakeup } from '../../base/signals.ts';
import type { RequestContext } from '../../contracts/context.ts';
import { PatchbayError } from '../../contracts/errors.ts';
import type { ExecutionRow } from '../../contracts/rows.ts';
import type { Changes } from '../../contracts/storage.ts';
import type { TenantId } from '../../contracts/tenant.ts';
import { RunLogs } from './run-logs.ts';

/** A run in this process. */
export interface RunningExecution {
  readonly id: string;
  readonly tenant: TenantId;
  /** Of the clock that is monotonic. */
  readonly startedAt: number;
  /** That of the request, with a signal that `abort` aborts as well. */
  readonly context: RequestContext;
  /** 1 for the first run of an execution. */
  readonly attempt: number;
  readonly logs: RunLogs;
  /** The first reason to end the run. */
  readonly cause: 'context' | 'cancel' | 'elsewhere' | undefined;
  /** Settles when the run is over and its end is written. */
  readonly ended: Promise<void>;
  abort(cause: 'cancel' | 'elsewhere'): void;
  /** Its end is written, or cannot be written. */
  end(): void;
}

/** What could not be written about an execution, because the storage was away. */
export interface UnwrittenEnd {
  readonly tenant: TenantId;
  readonly started: ExecutionRow;
  readonly set: Changes<'executions'>;
}

/** What runs in this process. */
export class RunningExecutions {
  readonly #runs = new Map<string, RunningExecution>();
  readonly #expected = new Map<string, Wakeup>();
  #draining = false;
  readonly #unwritten = new Map<string, UnwrittenEnd>();

  get(id: string): RunningExecution | undefined {
    return this.#runs.get(id);
  }

  ofTenant(tenant: TenantId, id: string): RunningExecution | undefined {
    const run = this.#runs.get(id);
    return run?.tenant === tenant ? run : undefined;
  }

  /** Whether nothing out of the queue is started any more. */
  get isDraining(): boolean {
    return this.#draining;
  }

  drain(): void {
    this.#draining = true;
    for (const wakeup of this.#expected.values()) wakeup.wake();
  }

  /** Resolves once a run of this execution begins, and after a time in any case. */
  async opened(id: string, signal: AbortSignal, ms: number): Promise<void> {
    const wakeup = this.#expected.get(id) ?? new Wakeup();
    this.#expected.set(id, wakeup);
    await wakeup.wait(signal, ms);
    if (!wakeup.isAwaited) this.#expected.delete(id);
  }

  /** Runs that have been going on for so long. */
  longerThan(ms: number, now: number): readonly RunningExecution[] {
    return [...this.#runs.values()].filter(({ startedAt }) => now - startedAt >= ms);
  }

  /** Register a run, before anybody else can know of it. */
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

  /** Keep an end until the storage is back. */
  keep(end: UnwrittenEnd): void {
    this.#unwritten.set(end.started.id, end);
  }

  /**
   * Try to write every end that was kept. One that the storage does not take holds up no other.
   *
   * @throws What the last one that could not be written failed with.
   */
  async writeKept(write: (end: UnwrittenEnd) => Promise<unknown>): Promise<void> {
    let failure: { readonly error: unknown } | undefined;
    for (const [id, end] of this.#unwritten) {
      try {
        await write(end);
        this.#unwritten.delete(id);
      } catch (error) {
        // Each of the others would wait for it in vain.
        if (PatchbayError.is(error) && error.code === 'storage_unavailable') throw error;
        failure = { error };
      }
    }
    if (failure) throw failure.error;
  }
}
