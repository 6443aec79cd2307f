import { rm } from 'node:fs/promises';
import { availableParallelism } from 'node:os';
import {
  type ExecutionJob,
  type ExecutionOutcome,
  type Executor,
  type FunctionSource,
  type Health,
  joinSignals,
  type Logger,
  PatchbayError,
  type PreparedFunction,
  type RequestContext,
} from '@patchbay/core/plugin';
import type { ExecutorConfig, Isolation } from './config.ts';
import { exploreMachine, type Machine } from './explore-machine.ts';
import { createHostFolder, sweepHostFolders } from './launch/host-folder.ts';
import { type JailPrograms, jailPrograms } from './launch/jail.ts';
import { LaunchHelper } from './launch/launch-helper.ts';
import { Admission, ParentPlace, Tenants } from './run/admission.ts';
import { startExecution, type UsageLimits } from './run/execution.ts';
import { LogCollector } from './run/output-streams.ts';
import { failure, functionCodeOf, type RunOutcome } from './run/protocol.ts';
import type { Sandbox } from './run/sandbox.ts';
import { SandboxSource, type WaitingProcesses } from './run/sandbox-source.ts';
import { findHelperJail } from './save/helper-jail.ts';
import { type ProgramSource, SourcePreparer } from './save/source-preparer.ts';

export interface DenoExecutorOptions extends ExecutorConfig {
  /** Milliseconds that a process may take after its output until it is idle, with `reuse`. Default: 100. */
  readonly tidyMs?: number | undefined;
  /** CPU milliseconds that each step of a save may take. Default: 3000. */
  readonly saveCpuMs?: number | undefined;
  /** Folder from which packages are looked for. Default: the working directory. */
  readonly directory?: string | undefined;
}

/** Runs each execution in a Deno process, which is killed afterwards, or kept for the next one with `reuse`. */
export class DenoExecutor implements Executor {
  readonly isSealed = true;
  readonly #options: DenoExecutorOptions;
  readonly #logger: Logger;
  readonly #programs: JailPrograms;
  readonly #tenants = new Tenants();
  readonly #admission: Admission;
  readonly #preparer: SourcePreparer;
  readonly #helper = new LaunchHelper();
  /** Runs that have not ended completely. */
  readonly #underWay = new Set<Promise<void>>();
  /** Slots of the running executions, by their ids. */
  readonly #places = new Map<string, ParentPlace>();
  readonly #shutdown = new AbortController();
  readonly #rules: IsolationRules;
  #folder: string | undefined;
  #machine: Machine | undefined;
  #source: SandboxSource | undefined;

  /** @param programs Programs for the jails, other than those of the system. */
  constructor(options: DenoExecutorOptions, logger: Logger, programs: JailPrograms = jailPrograms) {
    this.#options = options;
    this.#logger = logger;
    this.#programs = programs;
    const limits = {
      maxConcurrent: options.maxConcurrent ?? availableParallelism() * 2,
      queueTimeoutMs: options.queueTimeoutMs,
      maxWaiting: options.maxQueued,
    };
    this.#admission = new Admission(limits, this.#tenants);
    this.#rules = new IsolationRules(options.isolation, options.functions);
    this.#preparer = new SourcePreparer(options);
  }

  async start(signal: AbortSignal): Promise<void> {
    await this.#preparer.start();
    const { cpuSeconds, primed, reuseIdleMs, reuseProcesses, reuseRuns, spares } = this.#options;
    const swept = sweepHostFolders();
    if (swept > 0) this.#logger.warn('removed leftovers of a killed server', { folders: swept });
    this.#folder = await createHostFolder();
    const shared = { programs: this.#programs, logger: this.#logger };
    const dependencies = { ...shared, helper: this.#helper, folder: this.#folder, isReused: this.#rules.uses('reuse') };
    try {
      this.#machine = await exploreMachine(this.#options, dependencies, signal);
      const demands = { ...shared, level: this.#machine.jail, files: this.#preparer.files };
      this.#preparer.enterJail(await findHelperJail(demands, signal));
    } catch (error) {
      await this.#cleanUp();
      throw error;
    }
    const waiting = spares ?? Math.min(8, availableParallelism() * 2);
    this.#source = new SandboxSource({
      launcher: this.#machine.launcher,
      logger: this.#logger,
      tenants: this.#tenants,
      spares: this.#rules.uses('fresh', 'reuse') ? waiting : 0,
      primed,
      reuse: { maxRuns: reuseRuns, idleMs: reuseIdleMs, maxProcesses: reuseProcesses, cpuSeconds },
    });
  }

  async stop(): Promise<void> {
    this.#admission.close();
    this.#shutdown.abort();
    await Promise.all([this.#preparer.stop(), this.#source?.stop(), ...this.#underWay]);
    await this.#cleanUp();
  }

  async health(): Promise<Health> {
    if (this.#source === undefined || this.#machine === undefined) return { status: 'fail', detail: 'not started' };
    const { description, doubts } = this.#machine;
    const { running, waiting } = this.#admission;
    const counts = `${running} running, ${waiting} waiting, ${this.#source.ready} spare`;
    return { status: 'pass', detail: [`${description}, ${counts}`, ...doubts].join('; ') };
  }

  load(): ReturnType<NonNullable<Executor['load']>> {
    const { running, waiting } = this.#admission;
    return { running, waiting, spare: this.#source?.ready ?? 0 };
  }

  describe(): ReturnType<NonNullable<Executor['describe']>> {
    const isolation = this.#options.isolation;
    return this.#machine === undefined ? { isolation } : { isolation, jail: this.#machine.jail };
  }

  /** Ids of the processes that wait for a run. */
  get waitingProcesses(): WaitingProcesses {
    return this.#source?.processes ?? { all: [], kept: [], primed: [] };
  }

  async prepare(source: FunctionSource, context: RequestContext): Promise<PreparedFunction> {
    const artifact = await this.#preparer.prepare(source, context);
    this.#source?.fill();
    return { artifact };
  }

  async prepareProgram(source: ProgramSource, context: RequestContext): Promise<PreparedFunction> {
    const artifact = await this.#preparer.prepareProgram(source, context);
    this.#source?.fill();
    return { artifact };
  }

  async execute(job: ExecutionJob, context: RequestContext): Promise<ExecutionOutcome> {
    const startedAt = performance.now();
    const logs = new LogCollector(job.limits.logBytes, job.onLog);
    const outcome = await this.#run(job, context, logs);
    const base = { logs: logs.lines, logsTruncated: logs.truncated, durationMs: performance.now() - startedAt };
    switch (outcome.kind) {
      case 'output':
        return { ...base, status: 'completed', output: outcome.output };
      case 'failure': {
        const { kind: _, ...error } = outcome;
        return { ...base, status: statusOf(error.reason), error };
      }
      case 'unavailable':
        this.#logger.error('an execution could not be started', { executionId: job.executionId, cause: outcome.cause });
        throw new PatchbayError('executor_unavailable', outcome.message, { cause: outcome.cause, retryAfter: 1 });
    }
  }

  async #run(job: ExecutionJob, context: RequestContext, logs: LogCollector): Promise<RunOutcome> {
    const cancelled = failure('cancelled', 'The execution was cancelled');
    if (context.signal.aborted) return cancelled;
    const code = functionCodeOf(job, context.caller.tenant);
    if (code === undefined) return failure('load_failed', 'The function must be saved again before it can run');
    const source = this.#source;
    if (source === undefined) return { kind: 'unavailable', message: 'The executor is not started' };
    let leave: () => void;
    try {
      leave = await this.#enter(context);
    } catch (error) {
      if (context.signal.aborted) return cancelled;
      throw error;
    }
    const { promise: left, resolve: setLeft } = Promise.withResolvers<void>();
    this.#underWay.add(left);
    let gone = Promise.resolve();
    const { signal, release } = joinSignals(context.signal, this.#shutdown.signal);
    this.#places.set(job.executionId, new ParentPlace());
    try {
      const isolation = this.#rules.of(job);
      const sandbox = await source.take(code, isolation, signal);
      let wasLong = false;
      const onLong = (): void => {
        wasLong = true;
      };
      const priorityOfLong = () => source.priorityOfLong(code.tenant);
      const keep = isolation === 'reuse' && !code.artifact.isProgram;
      const { tidyMs } = this.#options;
      const usage = await this.#limit(sandbox, job);
      const request = { job, artifact: code.artifact, logs, signal, usage, priorityOfLong, onLong, keep, tidyMs };
      const execution = startExecution(request, sandbox);
      gone = execution.over.then(() => source.over(code, sandbox));
      const outcome = await execution.outcome;
      source.answered(code, isolation, outcome, wasLong);
      return outcome;
    } catch (cause) {
      if (signal.aborted) return cancelled;
      return { kind: 'unavailable', message: 'The execution could not be set up', cause };
    } finally {
      this.#places.delete(job.executionId);
      // A slot is free once the run has ended completely, shortly after its output is known.
      void gone.then(() => {
        release();
        this.#underWay.delete(left);
        leave();
        setLeft();
      });
    }
  }

  async #limit(sandbox: Sandbox, { limits }: ExecutionJob): Promise<UsageLimits | undefined> {
    try {
      return await this.#machine?.limits?.apply(sandbox, limits.memoryMb);
    } catch (error) {
      sandbox.kill();
      await sandbox.gone;
      throw error;
    }
  }

  /** Wait for a slot: one of the executor, or that of the run which waits for this one. */
  async #enter({ caller, signal, execution }: RequestContext): Promise<() => void> {
    const leave = (): void => this.#admission.leave(caller.tenant);
    const lent = execution && this.#places.get(execution.id);
    if (lent === undefined) {
      await this.#admission.enter(caller.tenant, signal);
      return leave;
    }
    if (this.#admission.tryEnter(caller.tenant)) return leave;
    await lent.take(signal);
    return () => lent.giveBack();
  }

  async #cleanUp(): Promise<void> {
    await this.#helper.stop();
    if (this.#folder !== undefined) await rm(this.#folder, { recursive: true, force: true });
  }
}

function statusOf(reason: string): 'failed' | 'timed_out' | 'cancelled' {
  if (reason === 'wall_limit' || reason === 'cpu_limit') return 'timed_out';
  return reason === 'cancelled' ? 'cancelled' : 'failed';
}

/** The isolation of a function: that of the first rule that names it, or else the default. */
export class IsolationRules {
  readonly #fallback: Isolation;
  readonly #rules: readonly { readonly patterns: readonly RegExp[]; readonly isolation: Isolation }[];

  constructor(fallback: Isolation, rules: NonNullable<ExecutorConfig['functions']> = []) {
    this.#fallback = fallback;
    this.#rules = rules.map(({ match, isolation }) => ({ patterns: match.map(toPattern), isolation }));
  }

  /** Whether any function can have one of these. */
  uses(...wanted: readonly Isolation[]): boolean {
    return [this.#fallback, ...this.#rules.map(({ isolation }) => isolation)].some((each) => wanted.includes(each));
  }

  of({ functionId, functionName = '' }: FunctionIdentity): Isolation {
    const fits = (pattern: RegExp): boolean => pattern.test(functionId) || pattern.test(functionName);
    return this.#rules.find(({ patterns }) => patterns.some(fits))?.isolation ?? this.#fallback;
  }
}

interface FunctionIdentity {
  readonly functionId: string;
  readonly functionName?: string;
}

function toPattern(glob: string): RegExp {
  // Runs of stars are one: several in a row would try all ways to share the characters among them.
  const parts = glob.split(/\*+/u).map((part) => part.replace(/[$()*+./?[\\\]^{|}-]/gu, String.raw`\$&`));
  return new RegExp(`^${parts.join('.*')}$`, 'su');
}
