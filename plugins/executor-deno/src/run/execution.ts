import type { ExecutionJob } from '@patchbay/core/plugin';
import type { Artifact } from '../artifact.ts';
import type { ChildProcess } from './child-process.ts';
import { Conversation } from './conversation.ts';
import { type Ending, endingOfExit, failure } from './ending.ts';
import type { Launcher } from './launcher.ts';
import type { LogCollector } from './log-collector.ts';
import { collectOutput } from './output-streams.ts';
import { openSlot, type Slot } from './slot.ts';

/** A run that was started. */
export interface RunningExecution {
  /** Why the run is over. What it wrote until then is in the logs. */
  readonly ending: Promise<Ending>;
  /** Settles when nothing of the run is left: no process, no socket, no folder. Never rejects. */
  readonly gone: Promise<void>;
}

interface ExecutionParts extends ExecutionRequest {
  readonly slot: Slot;
  readonly process: ChildProcess;
}

/** See a process through, and kill it at the first reason to: its answer, a limit, or the caller. */
function superviseExecution(parts: ExecutionParts): RunningExecution {
  const { job, artifact, slot, process, logs, signal } = parts;
  let end!: (ending: Ending) => void;
  const decided = new Promise<Ending>((resolve) => {
    end = (ending) => {
      resolve(ending);
      // An output waits for the rest of the logs before the process goes.
      if (ending.kind !== 'output') process.kill();
    };
  });

  const streams = collectOutput(process, logs, () =>
    end(failure('output_too_large', 'The function wrote more than 4 MiB of logs')),
  );
  const conversation = new Conversation(job, artifact, (ending) => end(ending));
  const closed = new Promise<void>((resolve) => {
    let connected = false;
    slot.onConnection((socket) => {
      connected = true;
      conversation.attach(socket);
      socket.once('close', () => resolve());
    });
    void process.ended.then(() => {
      if (!connected) resolve();
    });
  });

  const timer = setTimeout(() => {
    end(failure('wall_limit', `The function did not finish within ${job.limits.wallMs} ms`));
  }, job.limits.wallMs);
  const onAbort = (): void => end(failure('cancelled', 'The execution was cancelled'));
  signal.addEventListener('abort', onAbort, { once: true });

  const gone = (async () => {
    const exit = await process.ended;
    // An answer may still lie in the socket of a process that is gone.
    await closed;
    end(endingOfExit(exit, conversation.phase, streams.errorTail()));
    await slot.close();
  })();
  const ending = (async () => {
    const result = await decided;
    // Whatever ends the wait for the logs, a limit included, does not change the result.
    if (result.kind === 'output') await Promise.race([streams.flushed, gone]);
    else await gone;
    clearTimeout(timer);
    signal.removeEventListener('abort', onAbort);
    process.kill();
    return result;
  })();
  return { ending, gone };
}

export interface ExecutionRequest {
  readonly job: ExecutionJob;
  readonly artifact: Artifact;
  readonly logs: LogCollector;
  readonly signal: AbortSignal;
}

/** Start one execution in a process of its own. */
export async function startExecution(request: ExecutionRequest, launcher: Launcher): Promise<RunningExecution> {
  const slot = await openSlot();
  try {
    request.signal.throwIfAborted();
    return superviseExecution({ ...request, slot, process: launcher.launch(slot.socketPath) });
  } catch (error) {
    await slot.close();
    throw error;
  }
}
