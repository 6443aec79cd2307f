import type { ExecutionJob } from '@patchbay/core/plugin';
import type { Artifact } from '../function-code.ts';
import type { LogCollector } from './log-collector.ts';
import type { Priority } from './priority.ts';
import { type Ending, endingOfExit, failure } from './run-outcome.ts';
import type { Sandbox } from './sandbox.ts';
import { cpuLimit, type UsageLimits, watchUsage } from './usage-watch.ts';

export interface ExecutionRequest {
  readonly job: ExecutionJob;
  readonly artifact: Artifact;
  readonly logs: LogCollector;
  readonly signal: AbortSignal;
  /** Undefined where the platform does not tell what a process takes. */
  readonly usage?: UsageLimits | undefined;
  /** How it goes on once it has computed for some time. Default: `long`. */
  readonly priorityOfLong?: () => Priority;
  /** The run has computed for long. */
  readonly onLong?: () => void;
  /** Leave the process alive after an output, for another run of the same code. */
  readonly keep?: boolean;
  /** Milliseconds that a process which is to be kept may take until nothing of its run is under way any more. */
  readonly tidyMs?: number | undefined;
}

/** A run that was started. */
export interface RunningExecution {
  /** Why the run is over. What it wrote until then is in the logs. */
  readonly ending: Promise<Ending>;
  /**
   * Settles when nothing of the run is left. Its process is either gone, with its socket and folder, or ready for the
   * next run, if it was to be kept. Never rejects.
   */
  readonly over: Promise<void>;
}

const TIDY_MS = 100;

/** See a run through in a process that nothing else has run in, or only this code, and kill it at the first reason to. */
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
  let end!: (ending: Ending) => void;
  const decided = new Promise<Ending>((resolve) => {
    end = (ending) => {
      resolve(ending);
      // An output waits for the rest of the logs before the process goes.
      if (ending.kind !== 'output') sandbox.kill();
    };
  });

  const timer = setTimeout(() => {
    end(failure('wall_limit', `The function did not finish within ${job.limits.wallMs} ms`));
  }, job.limits.wallMs);
  const onAbort = (): void => end(failure('cancelled', 'The execution was cancelled'));
  signal.addEventListener('abort', onAbort, { once: true });
  if (signal.aborted) onAbort();

  const before = sandbox.lastUsage?.cpuSeconds;
  const listeners = { onExceeded: end, onBusy: () => sandbox.prioritise(priorityOfLong()), onLong };
  const watch = usage && process.pid !== undefined ? watchUsage(process.pid, usage, listeners, before) : undefined;

  const flushed = streams.assign(logs, () =>
    end(failure('output_too_large', 'The function wrote more than 4 MiB of logs')),
  );
  const ready = keep ? conversation.readyAgain() : undefined;
  conversation.assign({ job, artifact, startedAt, keep, onEnding: (ending) => end(ending) });

  const { promise: gone, resolve: setGone } = Promise.withResolvers<void>();
  const stopWaiting = sandbox.whenGone((exit) => {
    watch?.stop();
    // Nobody here killed it: the kernel did. `unshare` of util-linux 2.38 fails to pass that on, and says so.
    const wasKilled = exit.signal === 'SIGKILL' || /^unshare: /mu.test(streams.errorTail());
    if (usage && wasKilled && watch?.mayHaveUsedCpu()) end(cpuLimit(usage.cpuSeconds));
    end(endingOfExit(exit, conversation.phase, streams.errorTail()));
    setGone();
  });
  const { promise: answered, resolve: answer } = Promise.withResolvers<Ending>();
  const over = (async () => {
    const result = await decided;
    // Whatever ends the wait for the logs, a limit included, does not change the result.
    if (result.kind !== 'output') await gone;
    else if (result.isQuiet === true) streams.endRun();
    else await Promise.race([flushed, gone]);
    clearTimeout(timer);
    signal.removeEventListener('abort', onAbort);
    answer(result);
    if (ready !== undefined && result.kind === 'output' && !logs.truncated) {
      const late = setTimeout(() => sandbox.kill(), tidyMs);
      await Promise.race([ready, gone]);
      clearTimeout(late);
      watch?.stop();
      if (conversation.isReady) {
        stopWaiting();
        return;
      }
    }
    sandbox.kill();
    await gone;
  })();
  return { ending: answered, over };
}
