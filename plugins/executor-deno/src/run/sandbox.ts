import type { Socket } from 'node:net';
import type { ChildProcess, Exit, Launcher } from '../launch/launch-helper.ts';
import {
  innermostProcess,
  type Priority,
  type ProcessUsage,
  prioritise,
  readUsage,
  sendSignal,
} from '../system-process.ts';
import { Conversation } from './conversation.ts';
import { collectOutput, type OutputStreams } from './output-streams.ts';

/** A process that runs the bootstrap, and the private connection to it. It serves one run at a time. */
export interface Sandbox {
  readonly process: ChildProcess;
  readonly conversation: Conversation;
  readonly streams: OutputStreams;
  /** Settles when it can take code, or is gone. */
  readonly started: Promise<void>;
  /** Settles when it has left nothing behind: no process, and no socket. Never rejects. */
  readonly gone: Promise<Exit>;
  /**
   * The same for a run, which may be one of thousands: what waits for a promise waits until it settles.
   *
   * @returns Ends the wait.
   */
  whenGone(listener: (exit: Exit) => void): () => void;
  /** Read its usage so far; undefined if the platform does not report it. */
  usage(): ProcessUsage | undefined;
  /** The last result of `usage`. */
  readonly lastUsage: ProcessUsage | undefined;
  readonly priority: Priority;
  /** Raise or lower its priority. */
  prioritise(priority: Priority): void;
  /**
   * Stop it until `resume`. A process that holds the code of a function waits for its next execution like this: code can
   * forge the event that says nothing is pending, and has many ways to be called without one.
   *
   * @returns false where that cannot be done: then the process must not wait.
   */
  suspend(): boolean;
  resume(): void;
  /** End it, however far it got. */
  kill(): void;
}

/**
 * Start a process, without waiting until it can take code.
 *
 * @throws The reason of the signal, when it aborts before there is a process.
 */
export async function openSandbox(launcher: Launcher, signal: AbortSignal): Promise<Sandbox> {
  const meeting = await launcher.openSocket();
  try {
    signal.throwIfAborted();
    const launching = launcher.launch(meeting);
    const connecting = new Promise<Socket>((resolve) => meeting.accept(resolve));
    const child = await launching;
    let innermost: number | undefined;
    const innermostOf = (pid: number): number => {
      if (!conversation.isReady) return innermost ?? innermostProcess(pid);
      innermost ??= innermostProcess(pid);
      return innermost;
    };
    let priority: Priority = 'short';
    const moveTo = (next: Priority): void => {
      if (child.pid === undefined || next === priority) return;
      priority = next;
      prioritise(child.pid, next, innermostOf(child.pid));
    };
    // A process that sends something before it has received anything is not one of ours.
    const conversation: Conversation = new Conversation(() => kill());
    const kill = (): void => {
      child.kill();
      // A process takes some time to free its memory.
      moveTo('short');
      // If a process escaped the signal while it entered the jail, there is nothing left for it to do.
      conversation.close();
      meeting.refuse();
    };
    if (signal.aborted) kill();
    const streams = collectOutput(child, kill);
    let connection: Socket | undefined;
    void connecting.then((socket) => {
      connection = socket;
      meeting.refuse();
      conversation.attach(socket);
    });
    const listeners = new Set<(exit: Exit) => void>();
    let goneExit: Exit | undefined;
    const gone = (async () => {
      const exit = await child.ended;
      // The socket of an exited process may still contain a response, or unread input, which ends in an error.
      if (connection?.closed === false) await new Promise((resolve) => connection?.once('close', resolve));
      await meeting.close();
      goneExit = exit;
      for (const listener of listeners) listener(exit);
      return exit;
    })();
    const started = Promise.race([conversation.ready, gone.then(() => undefined)]);
    let lastUsage: ProcessUsage | undefined;
    return {
      process: child,
      conversation,
      streams,
      started,
      gone,
      kill,
      whenGone(listener) {
        if (goneExit === undefined) listeners.add(listener);
        else listener(goneExit);
        return () => listeners.delete(listener);
      },
      get priority() {
        return priority;
      },
      prioritise: moveTo,
      suspend: () => child.pid !== undefined && conversation.isReady && sendSignal(innermostOf(child.pid), 'SIGSTOP'),
      resume() {
        if (child.pid !== undefined && conversation.isReady) sendSignal(innermostOf(child.pid), 'SIGCONT');
      },
      usage() {
        if (child.pid === undefined || !conversation.isReady) return undefined;
        lastUsage = readUsage(innermostOf(child.pid));
        return lastUsage;
      },
      get lastUsage() {
        return lastUsage;
      },
    };
  } catch (error) {
    await meeting.close();
    throw error;
  }
}

/** Ids of the processes that could be started. */
export function processIdsOf(sandboxes: Iterable<Sandbox>): readonly number[] {
  return [...sandboxes].flatMap(({ process: { pid } }) => pid ?? []);
}
