import { readFileSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import { setTimeout as delay } from 'node:timers/promises';
import type { ExecutionJob } from '@patchbay/core/plugin';
import { cpuSeconds, innermostProcess, type Priority, residentBytes } from '../system-process.ts';
import type { LogCollector } from './output-streams.ts';
import { type Artifact, failure, outcomeOfExit, type RunOutcome } from './protocol.ts';
import type { Sandbox } from './sandbox.ts';

export interface ExecutionRequest {
  readonly job: ExecutionJob;
  readonly artifact: Artifact;
  readonly logs: LogCollector;
  readonly signal: AbortSignal;
  /** Undefined if the platform does not report the usage of processes. */
  readonly usage?: UsageLimits | undefined;
  /** Its priority once it has computed for some time. Default: `long`. */
  readonly priorityOfLong?: () => Priority;
  /** The run has computed for a long time. */
  readonly onLong?: () => void;
  /** Leave the process alive after an output, for another run of the same code. */
  readonly keep?: boolean;
  /** Milliseconds that a process to be reused may take until its run has ended completely. */
  readonly tidyMs?: number | undefined;
}

/** A run that was started. */
export interface RunningExecution {
  /** Why the run is over. What it wrote until then is in the logs. */
  readonly outcome: Promise<RunOutcome>;
  /**
   * Settles when the run has ended completely. Its process is either gone, with its socket, or ready for the
   * next run, if it was to be kept. Never rejects.
   */
  readonly over: Promise<void>;
}

const TIDY_MS = 100;
/** Delay before the process of a run with an output is killed: sending the response takes precedence. */
const AFTER_OUTPUT_MS = 5;

/** Carry out a run in a process that has run nothing else, or only this code, and kill it at the first reason to. */
export function startExecution(request: ExecutionRequest, sandbox: Sandbox): RunningExecution {
  const {
    job,
    artifact,
    logs,
    signal,
    usage,
    onLong = () => {},
    keep = false,
    tidyMs = TIDY_MS,
    priorityOfLong = () => 'long',
  } = request;
  const { conversation, process, streams } = sandbox;
  const startedAt = performance.now();
  let end!: (outcome: RunOutcome) => void;
  const decided = new Promise<RunOutcome>((resolve) => {
    end = (outcome) => {
      resolve(outcome);
      // An output waits for the rest of the logs before the process goes.
      if (outcome.kind !== 'output') sandbox.kill();
    };
  });

  const timeOut = (): void => end(failure('wall_limit', `The function did not finish within ${job.limits.wallMs} ms`));
  // After a pause of the host, timers run before sockets are read: an output may have arrived in time.
  let expiring: NodeJS.Immediate | undefined;
  const timer = setTimeout(() => {
    expiring = setImmediate(timeOut);
  }, job.limits.wallMs);
  const onAbort = (): void => end(failure('cancelled', 'The execution was cancelled'));
  signal.addEventListener('abort', onAbort, { once: true });
  if (signal.aborted) onAbort();

  const before = sandbox.lastUsage?.cpuSeconds;
  const listeners = { onExceeded: end, onBusy: () => sandbox.prioritise(priorityOfLong()), onLong };
  let watch: UsageWatch | undefined;
  let isOver = false;
  const startWatch = (): void => {
    if (!isOver && usage && process.pid !== undefined) watch = watchUsage(process.pid, usage, listeners, before);
  };
  // The start of a process is not a run: it would always look busy.
  if (conversation.isReady) startWatch();
  else void sandbox.started.then(startWatch);

  const flushed = streams.assign(logs, () =>
    end(failure('output_too_large', 'The function wrote more than 4 MiB of logs')),
  );
  const ready = keep ? conversation.readyAgain() : undefined;
  conversation.assign({ job, artifact, logs, startedAt, keep, onOutcome: end });

  const { promise: gone, resolve: setGone } = Promise.withResolvers<void>();
  const stopWaiting = sandbox.whenGone((exit) => {
    isOver = true;
    watch?.stop();
    // It was not killed here: the kernel did it. `unshare` of util-linux 2.38 fails to pass that on, and says so.
    const wasKilled = exit.signal === 'SIGKILL' || /^unshare: /mu.test(streams.errorTail());
    if (usage && wasKilled && watch?.mayHaveUsedCpu()) end(cpuLimit(usage.cpuSeconds));
    end(outcomeOfExit(exit, conversation.phase, streams.errorTail()));
    setGone();
  });
  const { promise: answered, resolve: answer } = Promise.withResolvers<RunOutcome>();
  const over = (async () => {
    const result = await decided;
    // Whatever ends the wait for the logs, a limit included, does not change the result.
    if (result.kind !== 'output') await gone;
    else if (result.isQuiet === true) streams.endRun();
    else await Promise.race([flushed, gone]);
    clearTimeout(timer);
    // It would kill the process, which may have another run by then.
    clearImmediate(expiring);
    signal.removeEventListener('abort', onAbort);
    answer(result);
    if (ready !== undefined && result.kind === 'output' && !logs.truncated) {
      const late = setTimeout(() => sandbox.kill(), tidyMs);
      await Promise.race([ready, gone]);
      clearTimeout(late);
      isOver = true;
      watch?.stop();
      if (conversation.isReady) {
        stopWaiting();
        return;
      }
    } else if (result.kind === 'output') {
      isOver = true;
      watch?.stop();
      await Promise.race([delay(AFTER_OUTPUT_MS), gone]);
    }
    sandbox.kill();
    await gone;
  })();
  return { outcome: answered, over };
}

export interface UsageLimits {
  readonly residentBytes: number;
  readonly cpuSeconds: number;
}

interface UsageListeners {
  readonly onExceeded: (outcome: RunOutcome) => void;
  /** It computes without a pause, which slows down short runs beside it. May be called twice. */
  readonly onBusy: () => void;
  /** It has computed for so long that its next run is likely to do so too. */
  readonly onLong: () => void;
}

interface UsageWatch {
  /** Whether the CPU limit may have been reached since the last look. */
  mayHaveUsedCpu(): boolean;
  stop(): void;
}

const INTERVAL_MS = 100;
const CORES = availableParallelism();
/** Seconds of CPU after which a run counts as long. */
const LONG_SECONDS = 0.1;
/**
 * How often to check in the first tenth of a second, and the busy time from which a run counts as computing without a
 * pause.
 */
const EARLY_MS = 8;
const EARLY_LOOKS = 10;
const BUSY_MS = 10;
// For its limit, the kernel counts the ticks of its clock, which on a busy machine come to a quarter more than it
// reports in /proc. A process that the host did not kill, with half of the limit used, was killed for that.
const KILLED_FROM = 0.5;

const cpuLimit = (seconds: number): RunOutcome =>
  failure('cpu_limit', `The function used more than ${seconds} s of CPU time`);
const memoryLimit = (): RunOutcome => failure('memory_limit', 'The function used more memory than it may');

/**
 * Monitor the usage of a process on Linux, ten times a second, in addition to the limits of the kernel.
 *
 * @param before Seconds of CPU that earlier runs took.
 */
export function watchUsage(
  pid: number,
  limits: UsageLimits,
  { onBusy, onExceeded, onLong }: UsageListeners,
  before = 0,
): UsageWatch {
  let seenSeconds = 0;
  let seenAt = performance.now();
  const look = (): void => {
    const innermost = innermostProcess(pid);
    const seconds = cpuSeconds(innermost);
    // A process that is gone reports nothing, and one around it reports itself: the previous figures count.
    if (seconds === undefined || seconds - before < seenSeconds) return;
    if (seconds - before >= LONG_SECONDS && seenSeconds < LONG_SECONDS) {
      onBusy();
      onLong();
    }
    seenSeconds = seconds - before;
    seenAt = performance.now();
    if (seenSeconds >= limits.cpuSeconds) onExceeded(cpuLimit(limits.cpuSeconds));
    else if (residentBytes(innermost) > limits.residentBytes) onExceeded(memoryLimit());
  };
  let timer: NodeJS.Timeout | undefined;
  // Most runs are over before: one timer is enough for these.
  const early = watchEarly(pid, onBusy, () => {
    timer = setInterval(look, INTERVAL_MS);
  });
  return {
    mayHaveUsedCpu() {
      const sinceSeconds = (performance.now() - seenAt) / 1000;
      return seenSeconds + sinceSeconds * CORES >= limits.cpuSeconds * KILLED_FROM;
    },
    stop() {
      early.stop();
      clearInterval(timer);
    },
  };
}

function watchEarly(pid: number, onBusy: () => void, onFirst: () => void): { stop(): void } {
  let innermost: number | undefined;
  let before: number | undefined;
  let looks = 0;
  const timer = setInterval(() => {
    innermost ??= innermostProcess(pid);
    const ms = computedMs(innermost);
    if (looks === 0) onFirst();
    before ??= ms;
    const isBusy = ms !== undefined && before !== undefined && ms - before >= BUSY_MS;
    if (isBusy) onBusy();
    if (isBusy || ++looks === EARLY_LOOKS) clearInterval(timer);
  }, EARLY_MS);
  return { stop: () => clearInterval(timer) };
}

/** CPU time of the thread that runs the code; to the nanosecond, while that of the whole process has steps of 10 ms. */
function computedMs(pid: number): number | undefined {
  try {
    return Number(readFileSync(`/proc/${pid}/schedstat`, 'latin1').split(' ')[0]) / 1e6;
  } catch {
    return undefined;
  }
}
