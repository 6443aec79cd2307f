import { backoffMs } from '@patchbay/contracts/base/clock';
import type { Chore } from '@patchbay/contracts/base/housekeeping';
import type { OpenRequestContext, Principal } from '@patchbay/contracts/context';
import type { ExecutionLimits, Executor } from '@patchbay/contracts/executor';
import type { Consumer, Queue } from '@patchbay/contracts/queue';
import type { ExecutionRow } from '@patchbay/contracts/rows';
import type { RequestLimits } from '../../limits/request-limits.ts';
import type { ExecutionOptions } from '../function-options.ts';
import { repeatAfterMs } from './admission.ts';
import type { ExecutionEngine } from './execution-engine.ts';
import type { ProcessIdentity } from './instance-lease.ts';
import { createQueuedExecutions, executionTopic } from './queued-executions.ts';
import { type Recovered, recoverExecutions, recoverUnowned } from './recover-executions.ts';
import { sweepExecutions } from './sweep-executions.ts';

export interface BackgroundDependencies {
  readonly engine: ExecutionEngine;
  readonly queue: Queue;
  /** The one in force. */
  readonly executor: () => Executor;
  readonly identity: ProcessIdentity;
  /** Those in force. */
  readonly limits: () => ExecutionLimits;
  readonly options: () => ExecutionOptions;
  readonly requestLimits: () => RequestLimits;
}

/** Interval of checks for runs that were ended elsewhere, and of retries of outcomes that could not be written. */
const WATCH_MS = 2_000;

const SWEEP_MS = 60_000;

/** The background work of an app for executions. */
export function createExecutionBackground(dependencies: BackgroundDependencies) {
  const { engine, queue, executor, identity, limits, options, requestLimits } = dependencies;
  const { storage, clock, logger, instance } = engine;
  const runsAgain = (row: ExecutionRow) => {
    if (row.principal === null) return false;
    const { retryInterrupted, maxAttempts } = options();
    return (retryInterrupted && (row.attempt ?? 1) < maxAttempts) || repeatAfterMs(row, 'interrupted') !== undefined;
  };
  const recovery = { engine, queue, identity, runsAgain };
  let consumer: Consumer | undefined;
  let consume: (() => Consumer) | undefined;
  let concurrency = 0;

  const report = ({ interrupted, queued }: Recovered) => {
    if (interrupted > 0) logger.warn('closed executions whose server had stopped', { interrupted });
    if (queued === 0) return;
    logger.warn('requeued executions whose server had stopped', { queued });
    queue.notify(executionTopic);
  };
  // Cancelled through another server, or closed because the lease of this server expired.
  const endWhatEndedElsewhere = async () => {
    for (const run of engine.running.longerThan(WATCH_MS, clock.monotonic())) {
      const row = await storage.get(run.tenant, 'executions', run.id);
      // A slow storage may not have written its start yet.
      if (row === undefined || (row.status === 'queued' && (row.attempt ?? 0) < run.attempt)) continue;
      if (row.status !== 'running' || row.owner !== instance.id) run.abort('elsewhere');
    }
  };

  const stayAlive = async () => {
    await instance.renew();
    report(await recoverExecutions(recovery));
  };
  const watch = async () => {
    try {
      await engine.writeKept();
    } finally {
      await endWhatEndedElsewhere();
    }
  };

  const sweep = async () => {
    const { keepDays } = options();
    if (keepDays !== undefined) await sweepExecutions(storage, clock, keepDays);
  };

  const chores: readonly Chore[] = [
    { name: 'telling the storage that this server is alive', everyMs: instance.renewMs, run: stayAlive },
    { name: 'comparing runs with what is stored', everyMs: WATCH_MS, run: watch },
    { name: 'sweeping executions', everyMs: SWEEP_MS, run: sweep },
  ];
  return {
    chores,
    /** Before the first request: close executions left by a crash. */
    async recover(): Promise<void> {
      await instance.renew();
      report(await recoverUnowned(recovery));
      report(await recoverExecutions(recovery));
    },
    /** Start to consume queued executions. */
    start(openContext: (caller: Principal) => OpenRequestContext): void {
      const handler = createQueuedExecutions({ engine, executor, limits, options, requestLimits, openContext });
      consume = () => {
        concurrency = options().asyncConcurrency;
        // Attempts are counted in the execution: a delivery may fail for unrelated reasons.
        const maxAttempts = Number.MAX_SAFE_INTEGER;
        return queue.consume(executionTopic, handler, {
          concurrency,
          leaseMs: instance.leaseMs,
          maxAttempts,
          backoffMs: (attempt) => backoffMs(attempt, 60_000),
        });
      };
      consumer = consume();
    },
    /** Apply changed options. */
    adjust(): void {
      const { asyncConcurrency } = options();
      if (consume === undefined || asyncConcurrency === concurrency) return;
      if (consumer?.resize === undefined) {
        void consumer?.stop();
        consumer = consume();
      } else {
        concurrency = asyncConcurrency;
        consumer.resize(concurrency);
      }
    },
    /** Stop consuming queued executions. */
    drain(): void {
      engine.running.drain();
      consume = undefined;
      void consumer?.stop();
    },
    /** Call it when this instance has no running work, and the chores have stopped. */
    async stop(): Promise<void> {
      try {
        await engine.writeKept();
      } finally {
        await instance.release();
      }
    },
  };
}
