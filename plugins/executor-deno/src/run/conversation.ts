import type { Socket } from 'node:net';
import { type ExecutionJob, type HostCalls, PatchbayError } from '@patchbay/core/plugin';
import type { LogCollector } from './output-streams.ts';
import {
  type Artifact,
  encodeFrame,
  type Frame,
  FrameDecoder,
  FrameError,
  failure,
  fromChild,
  outcomeOfOutput,
  outcomeOfReport,
  type Phase,
  protocolViolation,
  type RunOutcome,
  toChild,
} from './protocol.ts';
import { OUTPUTS, YieldDesk } from './yield-desk.ts';

const REPORT_BYTES = 262_144;
const CALL_BYTES = 4_194_304;

/** A run, as it is given to the process. */
export interface Assignment {
  readonly job: ExecutionJob;
  readonly artifact: Artifact;
  /** Receives what the run writes on the standard streams. */
  readonly logs: LogCollector;
  /** When the time of the run began, by `performance.now()`. */
  readonly startedAt: number;
  /** The process must be ready for another run of the same code afterwards, without traces of this one. */
  readonly keep?: boolean;
  readonly onOutcome: (outcome: RunOutcome) => void;
}

/**
 * The host's side of the protocol with one process: send code and input, receive one response. Anything else
 * ends the run, and cannot complete it.
 */
export class Conversation {
  /** Settles when the process says that it can take code. */
  readonly ready: Promise<void>;
  readonly #onFault: () => void;
  readonly #resolveReady: () => void;
  #socket: Socket | undefined;
  #assignment: Assignment | undefined;
  #desk: HostCallDesk | undefined;
  #yields: YieldDesk | undefined;
  #onReady: (() => void) | undefined;
  #isReady = false;
  #isClosed = false;
  #isLoaded = false;
  #phase: Phase = 'starting';
  #outcome: RunOutcome | undefined;

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
    if (this.#outcome !== undefined) assignment.onOutcome(this.#outcome);
    else if (this.#isReady) this.#handOver(assignment);
  }

  /** Have a process that is ready load code before there is a run of it. Settles when it is ready again. */
  prime(artifact: Artifact): Promise<void> {
    this.#isReady = false;
    this.#phase = 'loading';
    this.#write(loadFrames(toChild.prime, artifact));
    return this.readyAgain();
  }

  /** Settles when the process says that it can take the next run. */
  readyAgain(): Promise<void> {
    return new Promise((resolve) => {
      this.#onReady = resolve;
    });
  }

  /** Send and receive nothing more. */
  close(): void {
    this.#isClosed = true;
    this.#closeDesks();
    this.#socket?.destroy();
  }

  #closeDesks(): void {
    this.#desk?.close();
    this.#desk = undefined;
    this.#yields?.close();
    this.#yields = undefined;
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
      case fromChild.yield:
      case fromChild.markedYield:
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
    if (this.#outcome !== undefined) {
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
    } else if (isYield(frame) && this.#phase === 'running' && this.#yields !== undefined) {
      this.#refuse(this.#yields.take(frame.payload, frame.type === fromChild.markedYield));
    } else if (isResult(frame) && this.#phase === 'running' && this.#yields?.isWaiting !== true && this.#assignment) {
      this.#end(outcomeOfOutput(frame.payload, frame.type === fromChild.quietResult));
    } else if (frame.type === fromChild.failure && this.#assignment !== undefined) {
      const outcome = outcomeOfReport(frame.payload, this.#phase, this.#assignment.artifact);
      if (outcome === undefined) this.#violation('a failure report that does not fit');
      else this.#end(outcome);
    } else if (frame.type === fromChild.call && this.#phase === 'running' && this.#desk !== undefined) {
      this.#refuse(this.#desk.take(frame.payload));
    } else if (frame.type === fromChild.cancel && this.#phase === 'running' && this.#desk !== undefined) {
      this.#refuse(this.#desk.cancel(frame.payload));
    } else {
      this.#violation(`frame ${frame.type} while ${this.#phase}`);
    }
  }

  /** The first response counts; later messages report readiness, or are noise of a dying process. */
  #takeAfterwards(frame: Frame): void {
    if (this.#assignment?.keep !== true) return;
    this.#assignment = undefined;
    if (frame.type !== fromChild.ready || this.#outcome?.kind !== 'output') {
      this.#onFault();
      return;
    }
    this.#outcome = undefined;
    this.#becomeReady();
  }

  #becomeReady(): void {
    this.#isReady = true;
    this.#onReady?.();
  }

  #handOver({ job, artifact, logs, startedAt, keep = false }: Assignment): void {
    const { executionId, input, limits, host, watcher } = job;
    this.#isReady = false;
    this.#desk = new HostCallDesk({
      host,
      reply: (payload) => this.#write([encodeFrame(toChild.reply, payload)]),
      onLimit: (max) => this.#end(failure('call_limit', `The function made more than ${max} calls`)),
    });
    this.#yields =
      watcher &&
      new YieldDesk({
        watcher,
        logs,
        maxBytes: limits.outputBytes * OUTPUTS,
        resume: () => this.#write([encodeFrame(toChild.resume, nothing)]),
        onEnd: (outcome) => this.#end(outcome),
      });
    // Starting a process is on the time of its run.
    const wallMs = Math.max(0, limits.wallMs - (performance.now() - startedAt));
    const { outputBytes } = limits;
    const { textProperty } = artifact;
    const run = {
      executionId,
      outputBytes,
      wallMs,
      keep,
      secrets: host?.secrets ?? {},
      isWatched: watcher !== undefined,
      textProperty,
    };
    const frames = [
      encodeFrame(toChild.run, Buffer.from(JSON.stringify(run))),
      encodeFrame(toChild.input, Buffer.from(input)),
    ];
    if (this.#isLoaded) {
      this.#write(frames);
      return;
    }
    this.#phase = 'loading';
    this.#write([...loadFrames(toChild.load, artifact), ...frames]);
  }

  #write(frames: readonly Buffer[]): void {
    this.#socket?.write(Buffer.concat(frames));
  }

  #refuse(fault: string | undefined): void {
    if (fault !== undefined) this.#violation(fault);
  }

  #violation(fault: string): void {
    if (this.#outcome === undefined) this.#end(protocolViolation(fault));
    else if (this.#assignment?.keep === true) this.#onFault();
  }

  #end(outcome: RunOutcome): void {
    this.#outcome = outcome;
    this.#closeDesks();
    if (this.#assignment === undefined) this.#onFault();
    else this.#assignment.onOutcome(outcome);
  }
}

// For the stack of an error, Deno reads the source map that a module names, from any file and without asking for a
// permission. The last comment that names one counts. To look at one costs half a millisecond, so that a module which
// names none gets none.
const SOURCE_MAP = 'sourceMappingURL';
const NO_SOURCE_MAP = `\n//# ${SOURCE_MAP}=`;

const nothing = Buffer.alloc(0);

const isResult = ({ type }: Frame): boolean => type === fromChild.result || type === fromChild.quietResult;
const isYield = ({ type }: Frame): boolean => type === fromChild.yield || type === fromChild.markedYield;

/** The frames that have a module loaded. A bundle is no `data:` URL: a large one of those takes seconds to load. */
function loadFrames(type: number, { module, isBundle, builtIns = [] }: Artifact): readonly Buffer[] {
  const harmless = module.includes(SOURCE_MAP) ? `${module}${NO_SOURCE_MAP}` : module;
  if (isBundle) {
    const names = Buffer.from(JSON.stringify(builtIns));
    return [encodeFrame(toChild.module, Buffer.from(harmless)), encodeFrame(type, names)];
  }
  return [encodeFrame(type, moduleUrl(harmless))];
}

function moduleUrl(harmless: string): Buffer {
  const text = Buffer.from(harmless).toString('base64');
  return Buffer.from(`data:text/javascript;base64,${text}`, 'latin1');
}

/** Maximum number of pending calls of the bootstrap; further ones wait in the process. */
const MAX_IN_FLIGHT = 8;
const NUMBER_BYTES = 4;

export interface HostCallDeskOptions {
  /** Undefined where the host serves no calls. */
  readonly host: HostCalls | undefined;
  readonly reply: (payload: Buffer) => void;
  /** The code made one call too many. */
  readonly onLimit: (maxCalls: number) => void;
}

/**
 * Serves the calls of one run. A call is identified by its position alone: the first one is number 1. So nothing that a
 * process sends can refer to a call of another one, or be answered twice.
 */
export class HostCallDesk {
  readonly #options: HostCallDeskOptions;
  readonly #open = new Map<number, AbortController>();
  #made = 0;
  #cancels = 0;
  #isClosed = false;

  constructor(options: HostCallDeskOptions) {
    this.#options = options;
  }

  /** How many calls have no response yet. */
  get open(): number {
    return this.#open.size;
  }

  /**
   * Take a call: its name, a line break, its arguments.
   *
   * @returns What is wrong with it, if the bootstrap would not have sent it.
   */
  take(payload: Buffer): string | undefined {
    if (this.#open.size >= MAX_IN_FLIGHT) return `more than ${MAX_IN_FLIGHT} calls at a time`;
    const end = payload.indexOf('\n');
    if (end === -1) return 'a call without a name';
    const { host, onLimit } = this.#options;
    this.#made++;
    if (host !== undefined && this.#made > host.maxCalls) {
      this.close();
      onLimit(host.maxCalls);
      return undefined;
    }
    void this.#serve(this.#made, payload.toString('utf8', 0, end), payload.toString('utf8', end + 1));
    return undefined;
  }

  /** The code has aborted a call. It still receives a response: one for each call. */
  cancel(payload: Buffer): string | undefined {
    const number = payload.length === NUMBER_BYTES ? payload.readUInt32BE(0) : 0;
    this.#cancels++;
    if (number === 0 || number > this.#made || this.#cancels > this.#made) return 'the end of a call that is none';
    this.#open.get(number)?.abort();
    return undefined;
  }

  /** The run has ended: abort pending calls, and send no more responses. */
  close(): void {
    this.#isClosed = true;
    for (const controller of this.#open.values()) controller.abort();
    this.#open.clear();
  }

  async #serve(number: number, name: string, argumentsJson: string): Promise<void> {
    const { host } = this.#options;
    const controller = new AbortController();
    this.#open.set(number, controller);
    let answer: { readonly done: boolean; readonly json: string };
    try {
      if (host === undefined) throw new PatchbayError('invalid_request', 'Nothing can be called from here');
      answer = { done: true, json: await host.call(name, argumentsJson, controller.signal) };
    } catch (error) {
      answer = { done: false, json: describe(error) };
    }
    if (this.#isClosed) return;
    this.#open.delete(number);
    const head = Buffer.alloc(NUMBER_BYTES + 1);
    head.writeUInt32BE(number, 0);
    head.writeUInt8(answer.done ? 1 : 0, NUMBER_BYTES);
    this.#options.reply(Buffer.concat([head, Buffer.from(answer.json)]));
  }
}

function describe(error: unknown): string {
  if (!PatchbayError.is(error)) return JSON.stringify({ code: 'internal_error', message: 'The call failed' });
  const { code, message, retryable, errors } = error;
  return JSON.stringify({ code, message, retryable, errors });
}
