import type { Socket } from 'node:net';
import type { ExecutionJob } from '@patchbay/core/plugin';
import type { Artifact } from '../artifact.ts';
import { type Ending, failure, type Phase } from './ending.ts';
import { readFailureReport } from './failure-report.ts';
import { encodeFrame, type Frame, FrameDecoder, FrameError, fromChild, toChild } from './frames.ts';
import { parseOutput } from './json-document.ts';

const REPORT_BYTES = 262_144;

/** What a process is there for. */
export interface Assignment {
  readonly job: ExecutionJob;
  readonly artifact: Artifact;
  readonly onEnding: (ending: Ending) => void;
}

/**
 * The host's side of the talk with one process: hand over code and input, take one answer. Whatever does not belong
 * to the talk ends the run, and cannot complete it.
 */
export class Conversation {
  /** Settles when the process says that it can take code. */
  readonly ready: Promise<void>;
  readonly #onFault: () => void;
  readonly #resolveReady: () => void;
  #socket: Socket | undefined;
  #assignment: Assignment | undefined;
  #isReady = false;
  #isClosed = false;
  #phase: Phase = 'starting';
  #ending: Ending | undefined;

  /** @param onFault Called for a process that breaks the protocol while it has no assignment. */
  constructor(onFault: () => void) {
    this.#onFault = onFault;
    const { promise, resolve } = Promise.withResolvers<void>();
    this.ready = promise;
    this.#resolveReady = resolve;
  }

  get isReady(): boolean {
    return this.#isReady && !this.#isClosed && this.#ending === undefined;
  }

  /** `starting` until code is handed over. */
  get phase(): Phase {
    return this.#phase;
  }

  /** Give the process what it is there for: now, or as soon as it is ready. Once only. */
  assign(assignment: Assignment): void {
    this.#assignment = assignment;
    if (this.#ending !== undefined) assignment.onEnding(this.#ending);
    else if (this.#isReady) this.#handOver(assignment);
  }

  /** Say and hear nothing more. */
  close(): void {
    this.#isClosed = true;
    this.#socket?.destroy();
  }

  /** Talk on this connection until it closes. */
  attach(socket: Socket): void {
    this.#socket = socket;
    if (this.#isClosed) socket.destroy();
    const decoder = new FrameDecoder((type) => this.#maxBytes(type));
    // A reset comes with the end of the process, which says more.
    socket.on('error', () => {});
    socket.on('data', (chunk) => {
      if (this.#ending !== undefined) return;
      try {
        for (const frame of decoder.push(chunk)) this.#take(frame);
      } catch (error) {
        if (!(error instanceof FrameError)) throw error;
        this.#violation(error.message);
      }
    });
  }

  #maxBytes(type: number): number | undefined {
    switch (type) {
      case fromChild.ready:
      case fromChild.loaded:
        return 0;
      case fromChild.result:
        return this.#assignment?.job.limits.outputBytes ?? 0;
      case fromChild.failure:
        return REPORT_BYTES;
      default:
        return undefined;
    }
  }

  #take(frame: Frame): void {
    // The first answer counts; what comes after it is noise of a process that is being killed.
    if (this.#ending !== undefined) return;
    if (frame.type === fromChild.ready && !this.#isReady) {
      this.#isReady = true;
      this.#resolveReady();
      if (this.#assignment !== undefined) this.#handOver(this.#assignment);
    } else if (frame.type === fromChild.loaded && this.#phase === 'loading') {
      this.#phase = 'running';
    } else if (frame.type === fromChild.result && this.#phase === 'running') {
      this.#end(this.#judgeOutput(frame.payload));
    } else if (frame.type === fromChild.failure && this.#assignment !== undefined) {
      const ending = readFailureReport(frame.payload, this.#phase, this.#assignment.artifact);
      if (ending === undefined) this.#violation('a failure report that does not fit');
      else this.#end(ending);
    } else {
      this.#violation(`frame ${frame.type} while ${this.#phase}`);
    }
  }

  #handOver({ job, artifact }: Assignment): void {
    const { executionId, input, limits } = job;
    const socket = this.#socket;
    if (socket === undefined) return;
    this.#phase = 'loading';
    const url = `data:text/javascript;base64,${Buffer.from(artifact.module).toString('base64')}`;
    socket.cork();
    socket.write(encodeFrame(toChild.load, Buffer.from(url)));
    socket.write(
      encodeFrame(toChild.run, Buffer.from(JSON.stringify({ executionId, outputBytes: limits.outputBytes }))),
    );
    socket.write(encodeFrame(toChild.input, Buffer.from(input)));
    socket.uncork();
  }

  #judgeOutput(payload: Buffer): Ending {
    const output = parseOutput(payload);
    switch (output.kind) {
      case 'text':
        return { kind: 'output', output: output.text };
      case 'too_deep':
        return failure('output_unserializable', 'The output nests deeper than 64 levels');
      case 'not_an_object':
        return this.#violationEnding('an output that is not a JSON object');
    }
  }

  #violation(what: string): void {
    this.#end(this.#violationEnding(what));
  }

  #violationEnding(what: string): Ending {
    return failure('protocol_violation', `The process broke the protocol: ${what}`);
  }

  #end(ending: Ending): void {
    if (this.#ending !== undefined) return;
    this.#ending = ending;
    if (this.#assignment === undefined) this.#onFault();
    else this.#assignment.onEnding(ending);
  }
}
