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
import { Admission } from './run/admission.ts';
import { type Ending, failure } from './run/ending.ts';
import { startExecution } from './run/execution.ts';
import { createLauncher, type Launcher } from './run/launcher.ts';
import { LogCollector } from './run/log-collector.ts';
import { findTether } from './run/tether.ts';
import { SourcePreparer, type TypeCheckMode } from './save/source-preparer.ts';

export interface DenoExecutorOptions {
  readonly memoryMb: number;
  /** Default: twice the number of cores. */
  readonly maxConcurrent?: number | undefined;
  readonly queueTimeoutMs: number;
  readonly typeCheck: TypeCheckMode;
  readonly denoPath?: string | undefined;
}

/** Runs each function in a Deno process of its own, which is killed afterwards. */
export class DenoExecutor implements Executor {
  readonly #options: DenoExecutorOptions;
  readonly #logger: Logger;
  readonly #admission: Admission;
  readonly #preparer: SourcePreparer;
  readonly #leaving = new Set<Promise<void>>();
  readonly #shutdown = new AbortController();
  #launcher: Launcher | undefined;
  #version: string | undefined;
  #tethered = false;

  constructor(options: DenoExecutorOptions, logger: Logger) {
    this.#options = options;
    this.#logger = logger;
    this.#admission = new Admission({
      maxConcurrent: options.maxConcurrent ?? availableParallelism() * 2,
      queueTimeoutMs: options.queueTimeoutMs,
    });
    this.#preparer = new SourcePreparer(options.typeCheck);
  }

  async start(signal: AbortSignal): Promise<void> {
    const deno = this.#options.denoPath ?? findDeno();
    this.#version = await checkDeno(deno, signal);
    const prefix = await findTether([deno, '--version'], signal);
    this.#tethered = prefix.length > 0;
    this.#launcher = createLauncher({ deno, memoryMb: this.#options.memoryMb, prefix });
  }

  async stop(): Promise<void> {
    this.#admission.close();
    this.#shutdown.abort();
    await Promise.all([this.#preparer.stop(), ...this.#leaving]);
  }

  async health(): Promise<Health> {
    if (this.#launcher === undefined) return { status: 'fail', detail: 'not started' };
    const tether = this.#tethered ? '' : '; a killed server may leave functions running, as there is no setpriv';
    return { status: 'pass', detail: `Deno ${this.#version}, ${this.#admission.running} running${tether}` };
  }

  async prepare(source: FunctionSource, context: RequestContext): Promise<PreparedFunction> {
    return { artifact: await this.#preparer.prepare(source, context) };
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
    const launcher = this.#launcher;
    if (launcher === undefined) return { kind: 'unavailable', message: 'The executor is not started' };
    try {
      await this.#admission.enter(context.signal);
    } catch (error) {
      if (context.signal.aborted) return cancelled;
      throw error;
    }
    let gone = Promise.resolve();
    const signal = AbortSignal.any([context.signal, this.#shutdown.signal]);
    try {
      const execution = await startExecution({ job, artifact, logs, signal }, launcher);
      gone = execution.gone;
      return await execution.ending;
    } catch (cause) {
      if (signal.aborted) return cancelled;
      return { kind: 'unavailable', message: 'The execution could not be set up', cause };
    } finally {
      this.#leaveAfter(gone);
    }
  }

  /** A place is free when nothing of the run is left, which is a little after its output is known. */
  #leaveAfter(gone: Promise<void>): void {
    const leaving = gone.then(() => {
      this.#leaving.delete(leaving);
      this.#admission.leave();
    });
    this.#leaving.add(leaving);
  }
}

function statusOf(reason: string): 'failed' | 'timed_out' | 'cancelled' {
  if (reason === 'wall_limit' || reason === 'cpu_limit') return 'timed_out';
  return reason === 'cancelled' ? 'cancelled' : 'failed';
}
