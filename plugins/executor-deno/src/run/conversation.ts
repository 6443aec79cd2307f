import type { Socket } from 'node:net';
import type { ExecutionJob } from '@patchbay/core/plugin';
import type { Artifact } from '../artifact.ts';
import { type Ending, failure, type Phase } from './ending.ts';
import { readFailureReport } from './failure-report.ts';
import { encodeFrame, type Frame, FrameDecoder, FrameError, fromChild, toChild } from './frames.ts';
import { parseOutput } from './json-document.ts';

const REPORT_BYTES = 262_144;

/**
 * The host's side of the talk with one process: hand over code and input, take one answer. Whatever does not belong
 * to the talk ends the run, and cannot complete it.
 */
export class Conversation {
  readonly #job: ExecutionJob;
  readonly #artifact: Artifact;
  readonly #onEnding: (ending: Ending) => void;
  #phase: Phase = 'starting';
  #over = false;

  constructor(job: ExecutionJob, artifact: Artifact, onEnding: (ending: Ending) => void) {
    this.#job = job;
    this.#artifact = artifact;
    this.#onEnding = onEnding;
  }

  get phase(): Phase {
    return this.#phase;
  }

  /** Talk on this connection until it closes. */
  attach(socket: Socket): void {
    const decoder = new FrameDecoder((type) => this.#maxBytes(type));
    // A reset comes with the end of the process, which says more.
    socket.on('error', () => {});
    socket.on('data', (chunk) => {
      if (this.#over) return;
      try {
        for (const frame of decoder.push(chunk)) this.#take(frame, socket);
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
        return this.#job.limits.outputBytes;
      case fromChild.failure:
        return REPORT_BYTES;
      default:
        return undefined;
    }
  }

  #take(frame: Frame, socket: Socket): void {
    // The first answer counts; what comes after it is noise of a process that is being killed.
    if (this.#over) return;
    if (frame.type === fromChild.ready && this.#phase === 'starting') {
      this.#phase = 'loading';
      this.#handOver(socket);
    } else if (frame.type === fromChild.loaded && this.#phase === 'loading') {
      this.#phase = 'running';
    } else if (frame.type === fromChild.result && this.#phase === 'running') {
      this.#end(this.#judgeOutput(frame.payload));
    } else if (frame.type === fromChild.failure) {
      const ending = readFailureReport(frame.payload, this.#phase, this.#artifact);
      if (ending === undefined) this.#violation('a failure report that does not fit');
      else this.#end(ending);
    } else {
      this.#violation(`frame ${frame.type} while ${this.#phase}`);
    }
  }

  #handOver(socket: Socket): void {
    const { executionId, input, limits } = this.#job;
    const url = `data:text/javascript;base64,${Buffer.from(this.#artifact.module).toString('base64')}`;
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
    if (this.#over) return;
    this.#over = true;
    this.#onEnding(ending);
  }
}
