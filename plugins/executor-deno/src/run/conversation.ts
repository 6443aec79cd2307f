import type { Socket } from 'node:net';
import type { ExecutionJob } from '@patchbay/core/plugin';
import type { Artifact } from '../function-code.ts';
import { readFailureReport } from './failure-report.ts';
import { encodeFrame, type Frame, FrameDecoder, FrameError, fromChild, toChild } from './frames.ts';
import { HostCallDesk } from './host-call-desk.ts';
import { parseOutput } from './json-document.ts';
import { type Ending, failure, type Phase } from './run-outcome.ts';

const REPORT_BYTES = 262_144;
const CALL_BYTES = 4_194_304;

/** A run, as the process is told of it. */
export interface Assignment {
  readonly job: ExecutionJob;
  readonly artifact: Artifact;
  /** When the time of the run began, by `performance.now()`. */
  readonly startedAt: number;
  /** The process shall be ready for another run of the same code afterwards, where nothing of this one is left. */
  readonly keep?: boolean;
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
  #desk: HostCallDesk | undefined;
  #onReady: (() => void) | undefined;
  #isReady = false;
  #isClosed = false;
  #isLoaded = false;
  #phase: Phase = 'starting';
  #ending: Ending | undefined;

  /** @param onFault Called for a process that breaks the protocol while it has no run. */
  constructor(onFault: () => void) {
    this.#onFault = onFault;
    const { promise, resolve } = Promise.withResolvers<void>();
    this.ready = promise;
    this.#resolveReady = resolve;
  }

  /** It can take code, or a run of the code that it has. */
  get isReady(): boolean {
    return this.#isReady && !this.#isClosed;
  }

  /** `starting` until code is handed over. */
  get phase(): Phase {
    return this.#phase;
  }

  /** Give the process a run: now, or as soon as it is ready. The next one only after it is ready again. */
  assign(assignment: Assignment): void {
    this.#assignment = assignment;
    if (this.#ending !== undefined) assignment.onEnding(this.#ending);
    else if (this.#isReady) this.#handOver(assignment);
  }

  /** Have a process that is ready load code before there is a run of it. Settles when it is ready again. */
  prime(artifact: Artifact): Promise<void> {
    this.#isReady = false;
    this.#phase = 'loading';
    this.#write([encodeFrame(toChild.prime, moduleUrl(artifact))]);
    return this.readyAgain();
  }

  /** Settles when the process says that it can take the next run. */
  readyAgain(): Promise<void> {
    return new Promise((resolve) => {
      this.#onReady = resolve;
    });
  }

  /** Say and hear nothing more. */
  close(): void {
    this.#isClosed = true;
    this.#desk?.close();
    this.#socket?.destroy();
  }

  /** Talk on this connection until it closes. */
  attach(socket: Socket): void {
    this.#socket = socket;
    if (this.#isClosed) socket.destroy();
    const decoder = new FrameDecoder((type) => this.#maxBytes(type));
    socket.on('data', (chunk) => {
      if (this.#isClosed) return;
      try {
        for (const frame of decoder.push(chunk)) this.#take(frame);
      } catch (error) {
        if (!(error instanceof FrameError)) throw error;
        this.#violation(error.message);
      }
    });
    socket.once('close', () => {
      this.#isClosed = true;
    });
    socket.resume();
  }

  #maxBytes(type: number): number | undefined {
    switch (type) {
      case fromChild.ready:
      case fromChild.loaded:
        return 0;
      case fromChild.result:
      case fromChild.quietResult:
        return this.#assignment?.job.limits.outputBytes ?? 0;
      case fromChild.failure:
        return REPORT_BYTES;
      case fromChild.call:
        return CALL_BYTES;
      case fromChild.cancel:
        return 4;
      default:
        return undefined;
    }
  }

  #take(frame: Frame): void {
    if (this.#ending !== undefined) {
      this.#takeAfterwards(frame);
      return;
    }
    if (frame.type === fromChild.ready && this.#phase === 'starting' && !this.#isReady) {
      this.#isReady = true;
      this.#resolveReady();
      if (this.#assignment !== undefined) this.#handOver(this.#assignment);
    } else if (frame.type === fromChild.loaded && this.#phase === 'loading') {
      this.#phase = 'running';
      this.#isLoaded = true;
      if (this.#assignment === undefined) this.#becomeReady();
    } else if (isResult(frame) && this.#phase === 'running' && this.#assignment !== undefined) {
      this.#end(this.#judgeOutput(frame));
    } else if (frame.type === fromChild.failure && this.#assignment !== undefined) {
      const ending = readFailureReport(frame.payload, this.#phase, this.#assignment.artifact);
      if (ending === undefined) this.#violation('a failure report that does not fit');
      else this.#end(ending);
    } else if (frame.type === fromChild.call && this.#phase === 'running' && this.#desk !== undefined) {
      this.#refuse(this.#desk.take(frame.payload));
    } else if (frame.type === fromChild.cancel && this.#phase === 'running' && this.#desk !== undefined) {
      this.#refuse(this.#desk.cancel(frame.payload));
    } else {
      this.#violation(`frame ${frame.type} while ${this.#phase}`);
    }
  }

  /** The first answer counts; what comes after it is that the process is ready again, or noise of one being killed. */
  #takeAfterwards(frame: Frame): void {
    if (this.#assignment?.keep !== true) return;
    this.#assignment = undefined;
    if (frame.type !== fromChild.ready || this.#ending?.kind !== 'output') {
      this.#onFault();
      return;
    }
    this.#ending = undefined;
    this.#becomeReady();
  }

  #becomeReady(): void {
    this.#isReady = true;
    this.#onReady?.();
  }

  #handOver({ job, artifact, startedAt, keep = false }: Assignment): void {
    const { executionId, input, limits, host } = job;
    this.#isReady = false;
    this.#desk = new HostCallDesk({
      host,
      reply: (payload) => this.#write([encodeFrame(toChild.reply, payload)]),
      onLimit: (max) => this.#end(failure('call_limit', `The function made more than ${max} calls`)),
    });
    // Starting a process is on the time of its run.
    const wallMs = Math.max(0, limits.wallMs - (performance.now() - startedAt));
    const { outputBytes } = limits;
    const run = JSON.stringify({ executionId, outputBytes, wallMs, keep, secrets: host?.secrets ?? {} });
    const frames = [encodeFrame(toChild.run, Buffer.from(run)), encodeFrame(toChild.input, Buffer.from(input))];
    if (this.#isLoaded) {
      this.#write(frames);
      return;
    }
    this.#phase = 'loading';
    this.#write([encodeFrame(toChild.load, moduleUrl(artifact)), ...frames]);
  }

  #write(frames: readonly Buffer[]): void {
    this.#socket?.write(Buffer.concat(frames));
  }

  #judgeOutput({ payload, type }: Frame): Ending {
    const output = parseOutput(payload);
    switch (output.kind) {
      case 'text':
        return { kind: 'output', output: output.text, isQuiet: type === fromChild.quietResult };
      case 'too_deep':
        return failure('output_unserializable', 'The output nests deeper than 64 levels');
      case 'not_an_object':
        return this.#violationEnding('an output that is not a JSON object');
    }
  }

  #refuse(fault: string | undefined): void {
    if (fault !== undefined) this.#violation(fault);
  }

  #violation(what: string): void {
    if (this.#ending === undefined) this.#end(this.#violationEnding(what));
    else if (this.#assignment?.keep === true) this.#onFault();
  }

  #violationEnding(what: string): Ending {
    return failure('protocol_violation', `The process broke the protocol: ${what}`);
  }

  #end(ending: Ending): void {
    this.#ending = ending;
    this.#desk?.close();
    this.#desk = undefined;
    if (this.#assignment === undefined) this.#onFault();
    else this.#assignment.onEnding(ending);
  }
}

// For the stack of an error, Deno reads the source map that a module names, from any file and without asking for a
// permission. The last comment that names one counts. To look at one costs half a millisecond, so that a module which
// names none gets none.
const SOURCE_MAP = 'sourceMappingURL';
const NO_SOURCE_MAP = `\n//# ${SOURCE_MAP}=`;

const isResult = ({ type }: Frame): boolean => type === fromChild.result || type === fromChild.quietResult;

function moduleUrl({ module }: Artifact): Buffer {
  const harmless = module.includes(SOURCE_MAP) ? `${module}${NO_SOURCE_MAP}` : module;
  const text = Buffer.from(harmless).toString('base64');
  return Buffer.from(`data:text/javascript;base64,${text}`, 'latin1');
}
