import { availableParallelism } from 'node:os';
import {
  type ExecutionJob,
  type ExecutionOutcome,
  type Executor,
  type FunctionSource,
  type Health,
  type Logger,
  PatchbayError,
  type PreparedFunction,
  type RequestContext,
} from '@patchbay/core/plugin';
import { decodeArtifact } from './artifact.ts';
import { checkDeno, findDeno } from './deno-binary.ts';
import { LaunchHelper } from './launch/launch-helper.ts';
import { Admission } from './run/admission.ts';
import { type Ending, failure } from './run/ending.ts';
import { startExecution } from './run/execution.ts';
import { findJail, HOW_TO_GET } from './run/find-jail.ts';
import { type Jail, type JailLevel, type JailPrograms, jailPrograms } from './run/jail.ts';
import { createLauncher, type Launcher } from './run/launcher.ts';
import { LentPlace } from './run/lent-place.ts';
import { LogCollector } from './run/log-collector.ts';
import { canLimit, limitCommand, measureIdle, type ResourceOptions, residentLimit } from './run/resource-limits.ts';
import { SparePool } from './run/spare-pool.ts';
import { findTether } from './run/tether.ts';
import type { UsageLimits } from './run/usage-watch.ts';
import { SourcePreparer, type TypeCheckMode } from './save/source-preparer.ts';

export interface DenoExecutorOptions extends ResourceOptions {
  /** `fresh`: processes wait for their run; `cold`: each is started when its run comes. Either serves one run. */
  readonly isolation: 'fresh' | 'cold';
  /** What stands around a process; `auto` takes the best that works here. */
  readonly jail: JailLevel | 'auto';
  /** Do not start with less. */
  readonly minJail: JailLevel;
  /** Processes that wait, with `fresh`. Default: twice the number of cores, 8 at most. */
  readonly spares?: number | undefined;
  /** Default: twice the number of cores. */
  readonly maxConcurrent?: number | undefined;
  readonly queueTimeoutMs: number;
  readonly typeCheck: TypeCheckMode;
  readonly denoPath?: string | undefined;
}

const JAIL_TIMEOUT_MS = 5000;
const SPARE_MAX_AGE_MS = 3_600_000;

/** Runs each function in a Deno process of its own, which is killed afterwards. */
export class DenoExecutor implements Executor {
  readonly #options: DenoExecutorOptions;
  readonly #logger: Logger;
  readonly #programs: JailPrograms;
  readonly #admission: Admission;
  readonly #preparer: SourcePreparer;
  readonly #helper = new LaunchHelper();
  readonly #leaving = new Set<Promise<void>>();
  /** Of the runs that are under way, by their ids. */
  readonly #places = new Map<string, LentPlace>();
  readonly #shutdown = new AbortController();
  #pool: SparePool | undefined;
  #version: string | undefined;
  #usage: UsageLimits | undefined;
  #jail: Jail | undefined;
  #tethered = false;
  #limited = false;

  /** @param programs Other programs than those of the system, for the jails. */
  constructor(options: DenoExecutorOptions, logger: Logger, programs: JailPrograms = jailPrograms) {
    this.#options = options;
    this.#logger = logger;
    this.#programs = programs;
    this.#admission = new Admission({
      maxConcurrent: options.maxConcurrent ?? availableParallelism() * 2,
      queueTimeoutMs: options.queueTimeoutMs,
    });
    this.#preparer = new SourcePreparer(options.typeCheck);
  }

  async start(signal: AbortSignal): Promise<void> {
    const options = this.#options;
    const deno = options.denoPath ?? findDeno();
    this.#version = await checkDeno(deno, signal);
    const tether = await findTether([deno, '--version'], signal);
    this.#tethered = tether.length > 0;
    this.#limited = await canLimit(options, signal);
    if (!this.#limited) this.#logger.warn('functions run without limits of memory and CPU, as there is no prlimit');
    const launcherIn = (jail: Jail, limits: readonly string[]): Launcher => {
      // In a jail, the tether is a part of it.
      const prefix = [...(this.#limited ? limits : []), ...(jail.level === 'none' ? tether : [])];
      return createLauncher({ helper: this.#helper, deno, memoryMb: options.memoryMb, jail, prefix });
    };
    const { jail, value: idle } = await findJail(
      { deno, level: options.jail, least: options.minJail, programs: this.#programs },
      (candidate) => {
        const patience = AbortSignal.any([signal, AbortSignal.timeout(JAIL_TIMEOUT_MS)]);
        return measureIdle(launcherIn(candidate, limitCommand(options)), patience);
      },
      signal,
    );
    this.#jail = jail;
    this.#logger.info(`functions run in Deno ${this.#version}, ${describeJail(jail)}`);
    if (jail.level !== 'bwrap') this.#logger.warn(`there are better jails for functions. ${HOW_TO_GET}`);
    this.#usage = idle && { residentBytes: residentLimit(options, idle), cpuSeconds: options.cpuSeconds };
    const spares = options.spares ?? Math.min(8, availableParallelism() * 2);
    this.#pool = new SparePool({
      launcher: launcherIn(jail, limitCommand(options, idle)),
      logger: this.#logger,
      spares: options.isolation === 'cold' ? 0 : spares,
      maxAgeMs: SPARE_MAX_AGE_MS,
    });
  }

  async stop(): Promise<void> {
    this.#admission.close();
    this.#shutdown.abort();
    await Promise.all([this.#preparer.stop(), this.#pool?.stop(), ...this.#leaving]);
    await this.#helper.stop();
  }

  async health(): Promise<Health> {
    if (this.#pool === undefined || this.#jail === undefined) return { status: 'fail', detail: 'not started' };
    const { ready } = this.#pool;
    const doubts = [
      this.#tethered ? '' : '; a killed server may leave functions running, as there is no setpriv',
      this.#limited ? '' : '; memory outside the heap and CPU are not limited, as there is no prlimit',
    ].join('');
    return {
      status: 'pass',
      detail: `Deno ${this.#version}, ${describeJail(this.#jail)}, ${this.#admission.running} running, ${ready} spare${doubts}`,
    };
  }

  /** Ids of the processes that wait for a run. */
  get spareProcessIds(): readonly number[] {
    return this.#pool?.processIds ?? [];
  }

  async prepare(source: FunctionSource, context: RequestContext): Promise<PreparedFunction> {
    const artifact = await this.#preparer.prepare(source, context);
    this.#pool?.fill();
    return { artifact };
  }

  async execute(job: ExecutionJob, context: RequestContext): Promise<ExecutionOutcome> {
    const startedAt = performance.now();
    const logs = new LogCollector(job.limits.logBytes);
    const ending = await this.#run(job, context, logs);
    const base = { logs: logs.lines, logsTruncated: logs.truncated, durationMs: performance.now() - startedAt };
    switch (ending.kind) {
      case 'output':
        return { ...base, status: 'completed', output: ending.output };
      case 'failure': {
        const { kind: _, ...error } = ending;
        return { ...base, status: statusOf(error.reason), error };
      }
      case 'unavailable':
        this.#logger.error('an execution could not be run', { executionId: job.executionId, cause: ending.cause });
        throw new PatchbayError('executor_unavailable', ending.message, { cause: ending.cause, retryAfter: 1 });
    }
  }

  async #run(job: ExecutionJob, context: RequestContext, logs: LogCollector): Promise<Ending> {
    const cancelled = failure('cancelled', 'The execution was cancelled');
    if (context.signal.aborted) return cancelled;
    const artifact = decodeArtifact(job.artifact);
    if (artifact === undefined) return failure('load_failed', 'The function has to be saved again before it can run');
    const pool = this.#pool;
    if (pool === undefined) return { kind: 'unavailable', message: 'The executor is not started' };
    let leave: () => void;
    try {
      leave = await this.#enter(context);
    } catch (error) {
      if (context.signal.aborted) return cancelled;
      throw error;
    }
    let gone = Promise.resolve();
    const signal = AbortSignal.any([context.signal, this.#shutdown.signal]);
    this.#places.set(job.executionId, new LentPlace());
    try {
      const execution = startExecution({ job, artifact, logs, signal, usage: this.#usage }, await pool.take(signal));
      gone = execution.over;
      return await execution.ending;
    } catch (cause) {
      if (signal.aborted) return cancelled;
      return { kind: 'unavailable', message: 'The execution could not be set up', cause };
    } finally {
      this.#places.delete(job.executionId);
      this.#leaveAfter(gone, leave);
    }
  }

  /** Wait for a place: of the executor's own, or that of the run which waits for this one. */
  async #enter({ signal, execution }: RequestContext): Promise<() => void> {
    const leave = (): void => this.#admission.leave();
    const lent = execution && this.#places.get(execution.id);
    if (lent === undefined) {
      await this.#admission.enter(signal);
      return leave;
    }
    if (this.#admission.tryEnter()) return leave;
    await lent.take(signal);
    return () => lent.giveBack();
  }

  /** A place is free when nothing of the run is left, which is a little after its output is known. */
  #leaveAfter(gone: Promise<void>, leave: () => void): void {
    const leaving = gone.then(() => {
      this.#leaving.delete(leaving);
      leave();
    });
    this.#leaving.add(leaving);
  }
}

function describeJail({ level, uid }: Jail): string {
  if (level === 'none') return 'in no jail';
  return `in the jail "${level}" as ${uid === undefined ? "the server's user" : `user ${uid}`}`;
}

function statusOf(reason: string): 'failed' | 'timed_out' | 'cancelled' {
  if (reason === 'wall_limit' || reason === 'cpu_limit') return 'timed_out';
  return reason === 'cancelled' ? 'cancelled' : 'failed';
}
