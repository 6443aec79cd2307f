import { SourceMap } from 'node:module';
import type { ExecutionFailure, ExecutionJob } from '@patchbay/core/plugin';
import type { Exit } from '../launch/launch-helper.ts';

/** The form in which a function is stored, to be run later. */
export interface Artifact {
  /** JavaScript module whose default export is the function. */
  readonly module: string;
  readonly language: 'js' | 'ts';
  /** Line of `module` after which the author's lines are one lower than they were written. */
  readonly insertedLine?: number | undefined;
  /** Mappings of a source map, where the module is a translation. */
  readonly mappings?: string;
  /** Which of their sources is the author's text. Absent: there is no other. */
  readonly ownSource?: number;
  /**
   * The property of its output to which the text that a generator yields is added. Absent: there is none, or more than
   * one.
   */
  readonly textProperty?: string;
  /** A position without a mapping is not the author's. */
  readonly isBundle?: boolean;
  /** The built-ins of Node.js that a bundle imports. */
  readonly builtIns?: readonly string[];
  /** It runs once: no process keeps it, or loads it ahead. */
  readonly isProgram?: boolean;
}

const VERSION = 1;

export function encodeArtifact(artifact: Artifact): string {
  return JSON.stringify({ v: VERSION, ...artifact });
}

function decodeArtifact(text: string): Artifact | undefined {
  try {
    const value: unknown = JSON.parse(text);
    return isArtifact(value) ? value : undefined;
  } catch {
    return undefined;
  }
}

function isArtifact(value: unknown): value is Artifact {
  if (typeof value !== 'object' || value === null) return false;
  return 'v' in value && value.v === VERSION && 'module' in value && typeof value.module === 'string';
}

/** The code of a function, for the tenant that it runs for. */
export interface FunctionCode {
  /** Tenant, function and version. */
  readonly key: string;
  readonly tenant: string;
  /** As it is stored. Two jobs with one key have the same text, unless one of them is not ours. */
  readonly text: string;
  readonly artifact: Artifact;
}

/** Undefined for an artifact that this version did not write. */
export function functionCodeOf(job: ExecutionJob, tenant: string): FunctionCode | undefined {
  const artifact = decodeArtifact(job.artifact);
  const key = JSON.stringify([tenant, job.functionId, job.functionVersion]);
  return artifact && { key, tenant, text: job.artifact, artifact };
}

export const isSameCode = (a: FunctionCode, b: FunctionCode): boolean => a.key === b.key && a.text === b.text;

/**
 * Frames on the private connection between the host and an execution: u8 type, u32 big-endian length, bytes.
 * The other end is bootstrap/frames.js.
 */
export const toChild = { load: 1, run: 2, input: 3, prime: 4, reply: 5, resume: 6, module: 7 } as const;
export const fromChild = {
  ready: 16,
  loaded: 17,
  result: 18,
  failure: 19,
  call: 20,
  cancel: 21,
  quietResult: 22,
  yield: 23,
  markedYield: 24,
} as const;

const HEADER_BYTES = 5;

export interface Frame {
  readonly type: number;
  readonly payload: Buffer;
}

export function encodeFrame(type: number, payload: Uint8Array): Buffer {
  const frame = Buffer.allocUnsafe(HEADER_BYTES + payload.length);
  frame.writeUInt8(type, 0);
  frame.writeUInt32BE(payload.length, 1);
  frame.set(payload, HEADER_BYTES);
  return frame;
}

/** Thrown by the decoder: what arrived is not an allowed frame. */
export class FrameError extends Error {}

/** Cuts a stream into frames. The length of a frame is checked before a byte of it is kept. */
export class FrameDecoder {
  readonly #maxBytes: (type: number) => number | undefined;
  readonly #header = Buffer.alloc(HEADER_BYTES);
  #headerFilled = 0;
  #payload: Buffer | undefined;
  #payloadFilled = 0;

  /** @param maxBytes The largest payload of a type; undefined for a type that does not exist. */
  constructor(maxBytes: (type: number) => number | undefined) {
    this.#maxBytes = maxBytes;
  }

  /** @throws FrameError */
  *push(chunk: Buffer): Generator<Frame> {
    let rest = chunk;
    while (rest.length > 0 || this.#isComplete()) {
      if (this.#payload === undefined) {
        const taken = rest.copy(this.#header, this.#headerFilled);
        this.#headerFilled += taken;
        rest = rest.subarray(taken);
        if (this.#headerFilled < HEADER_BYTES) return;
        this.#payload = Buffer.allocUnsafe(this.#allowedLength());
        this.#payloadFilled = 0;
      }
      const taken = rest.copy(this.#payload, this.#payloadFilled);
      this.#payloadFilled += taken;
      rest = rest.subarray(taken);
      if (!this.#isComplete()) return;
      const frame = { type: this.#header.readUInt8(0), payload: this.#payload };
      this.#payload = undefined;
      this.#headerFilled = 0;
      yield frame;
    }
  }

  #isComplete(): boolean {
    return this.#payload !== undefined && this.#payloadFilled === this.#payload.length;
  }

  #allowedLength(): number {
    const type = this.#header.readUInt8(0);
    const length = this.#header.readUInt32BE(1);
    const most = this.#maxBytes(type);
    if (most === undefined) throw new FrameError(`unknown frame type ${type}`);
    if (length > most) throw new FrameError(`frame of type ${type} declares ${length} bytes`);
    return length;
  }
}

/** The reason for which a run ended, before its cleanup. */
export type RunOutcome =
  | {
      readonly kind: 'output';
      readonly output: string;
      /** The code has written nothing, so that there are no logs to wait for. */
      readonly isQuiet?: boolean;
    }
  | { readonly kind: 'failure'; readonly reason: ExecutionFailure; readonly message: string; readonly stack?: string }
  /** Not caused by the code. */
  | { readonly kind: 'unavailable'; readonly message: string; readonly cause?: unknown };

/** How far the process was when it ended on its own. */
export type Phase = 'starting' | 'loading' | 'running';

export const failure = (reason: ExecutionFailure, message: string, stack?: string): RunOutcome => ({
  kind: 'failure',
  reason,
  message,
  ...(stack === undefined ? {} : { stack }),
});

/** The process did what the bootstrap never does. */
export const protocolViolation = (fault: string): RunOutcome =>
  failure('protocol_violation', `The process broke the protocol: ${fault}`);

// The last messages of V8, and of the parts of Deno that are written in Rust.
const OUT_OF_MEMORY = /out of memory|memory allocation of \d+ bytes failed/iu;
const ABORTS = new Set(['SIGABRT', 'SIGILL', 'SIGSEGV']);
const STACK_OVERFLOW_SIGNALS = new Set(['SIGSEGV', 'SIGBUS']);

/** Read an exit that no frame explained. `stderr` is its last part; the code can write to it, so it proves little. */
export function outcomeOfExit(exit: Exit, phase: Phase, stderr: string): RunOutcome {
  if (exit.spawnError !== undefined) {
    return { kind: 'unavailable', message: 'Deno cannot be started', cause: exit.spawnError };
  }
  if (phase === 'starting') {
    return { kind: 'unavailable', message: 'Deno ended before it was ready', cause: { ...exit, stderr } };
  }
  // The first process of a namespace cannot be ended by SIGABRT, and aborts by a SIGSEGV.
  const aborted = ABORTS.has(exit.signal ?? '');
  if (exit.signal === 'SIGTRAP' || exit.code === 133 || (aborted && OUT_OF_MEMORY.test(stderr))) {
    return failure('memory_limit', 'The function used more memory than it may');
  }
  if (exit.signal !== undefined) {
    const detail = STACK_OVERFLOW_SIGNALS.has(exit.signal) ? 'crashed' : 'was ended';
    return failure('exited_early', `The process ${detail} by ${exit.signal} before the function returned`);
  }
  if (phase === 'loading' && /Top-level await promise never resolved/u.test(stderr)) {
    return failure('never_settled', 'The code awaits something at its top level that never settles');
  }
  return failure('exited_early', `The process exited with code ${exit.code ?? 0} before the function returned`);
}

const MAX_DEPTH = 64;
const [QUOTE, BACKSLASH, OPEN_ARRAY, CLOSE_ARRAY, OPEN_OBJECT, CLOSE_OBJECT] = Buffer.from('"\\[]{}');

/** How deep JSON text nests, without recursion and without parsing it. */
export function jsonDepth(bytes: Uint8Array): number {
  let depth = 0;
  let deepest = 0;
  let inString = false;
  for (let index = 0; index < bytes.length; index++) {
    const byte = bytes[index];
    if (inString) {
      if (byte === BACKSLASH) index++;
      else if (byte === QUOTE) inString = false;
    } else if (byte === QUOTE) inString = true;
    else if (byte === OPEN_OBJECT || byte === OPEN_ARRAY) deepest = Math.max(deepest, ++depth);
    else if (byte === CLOSE_OBJECT || byte === CLOSE_ARRAY) depth--;
  }
  return deepest;
}

/** Bytes that are parsed here: the reader of the output parses it as well, and larger ones over several turns. */
const PARSED_BYTES = 65_536;

const strictText = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });

/** Validate the bytes that an execution sent as its output: they are not trusted. */
export function outcomeOfOutput(bytes: Uint8Array, isQuiet: boolean): RunOutcome {
  if (jsonDepth(bytes) > MAX_DEPTH) {
    return failure('output_unserializable', `The output nests deeper than ${MAX_DEPTH} levels`);
  }
  try {
    const output = strictText.decode(bytes);
    if (isObjectText(output, bytes.length)) return { kind: 'output', output, isQuiet };
  } catch {
    // Neither text nor JSON.
  }
  return protocolViolation('an output that is not a JSON object');
}

function isObjectText(text: string, size: number): boolean {
  if (size > PARSED_BYTES) return /^\s*\{/.test(text);
  const value: unknown = JSON.parse(text);
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

const MESSAGE_BYTES = 2048;

const reasonsByPhase: Readonly<Record<Phase, ReadonlySet<string>>> = {
  starting: new Set(),
  loading: new Set<ExecutionFailure>(['load_failed', 'never_settled']),
  running: new Set<ExecutionFailure>(['function_threw', 'never_settled', 'output_unserializable', 'output_too_large']),
};

/** Read the report that the bootstrap sends when the code failed. Undefined for what the bootstrap does not send. */
export function outcomeOfReport(payload: Buffer, phase: Phase, artifact: Artifact): RunOutcome | undefined {
  const report = parseReport(payload);
  if (report === undefined || !reasonsByPhase[phase].has(report.reason)) return undefined;
  const { name, message, stack } = report;
  const text = plainText(name === '' || name === 'Error' ? message : `${name}: ${message}`, MESSAGE_BYTES);
  return failure(report.reason, text === '' ? 'The function threw' : text, ownStackTrace(stack, artifact));
}

interface Report {
  readonly reason: ExecutionFailure;
  readonly name: string;
  readonly message: string;
  readonly stack: string;
}

function parseReport(payload: Buffer): Report | undefined {
  try {
    const value: unknown = JSON.parse(payload.toString('utf8'));
    return isReport(value) ? value : undefined;
  } catch {
    return undefined;
  }
}

function isReport(value: unknown): value is Report {
  if (typeof value !== 'object' || value === null) return false;
  const members: Readonly<Record<string, unknown>> = { ...value };
  return ['reason', 'name', 'message', 'stack'].every((member) => typeof members[member] === 'string');
}

const MAX_FRAMES = 20;
const STACK_BYTES = 2048;
/** The bundler's name for a default export without one. */
const UNNAMED = 'function_default';
// Deno writes long data: URLs with dots in the middle.
const ownFrame =
  /^ {4}at (?:(?<name>.{1,200}) \()?(?:data:text\/javascript;base64,[\w+/=.]*|blob:null\/[\w-]+):(?<line>\d+):(?<column>\d+)\)?$/u;

interface Place {
  readonly line: number;
  readonly column: number;
}

/** The frames of a V8 stack that lie in the author's code, at the positions where the author wrote them. */
function ownStackTrace(stack: string, artifact: Artifact): string | undefined {
  const frames: string[] = [];
  let toSource: ((place: Place) => Place | undefined) | undefined;
  for (const text of stack.split('\n')) {
    const groups = ownFrame.exec(text)?.groups;
    if (groups === undefined) continue;
    toSource ??= sourcePlaces(artifact);
    const found = toSource({ line: Number(groups['line']), column: Number(groups['column']) });
    // A frame within a package, or around a program.
    if (found === undefined) continue;
    const { line, column } = found;
    const place = `function.${artifact.language}:${line}:${column}`;
    const name = plainText(groups['name'] === UNNAMED ? '' : (groups['name'] ?? ''), 200);
    frames.push(name === '' ? `at ${place}` : `at ${name} (${place})`);
    if (frames.length === MAX_FRAMES) break;
  }
  const text = frames.join('\n');
  return text === '' ? undefined : text.slice(0, STACK_BYTES);
}

const OWN = 'function';

function sourcePlaces({
  mappings,
  insertedLine,
  ownSource = 0,
  isBundle,
  isProgram,
}: Artifact): (place: Place) => Place | undefined {
  // The map has more sources than are named here: those after the author's, which are not used.
  const sources = [...Array.from({ length: ownSource }, () => ''), OWN];
  const map =
    mappings === undefined
      ? undefined
      : new SourceMap({ version: 3, file: '', sources, sourcesContent: [], names: [], mappings, sourceRoot: '' });
  return (generated) => {
    const entry = map?.findEntry(generated.line - 1, generated.column - 1);
    const isMapped = entry !== undefined && 'originalLine' in entry;
    if (isMapped ? entry.originalSource !== OWN : isBundle) return undefined;
    const place = isMapped ? { line: entry.originalLine + 1, column: entry.originalColumn + 1 } : generated;
    if (insertedLine === undefined) return place;
    // A program is wrapped in more than the author's text.
    if (isProgram && place.line <= insertedLine) return undefined;
    return place.line > insertedLine ? { ...place, line: place.line - 1 } : place;
  };
}

const ESCAPE = '\u001B';
// Terminal control: CSI with its parameters, OSC up to its end, or one character after the escape.
const terminalControl = new RegExp(`${ESCAPE}(?:\\[[0-?]*[ -/]*[@-~]|\\][^\u0007${ESCAPE}]*|.)`, 'gsu');
const lineBreaks = / *[\t\n\v\f\r\u0085\u2028\u2029]\s*/gu;
// C0, C1 and the marks that reorder or hide text.
const controls = /[\p{Cc}\u061C\u200B-\u200F\u202A-\u202E\u2066-\u2069\uFEFF]/gu;

/**
 * Foreign text made safe for a log, a terminal and a JSON document: on one line, without control
 * characters, and cut at a number of UTF-8 bytes.
 */
export function plainText(text: string, maxBytes: number): string {
  // A character is at least a byte, so that what lies beyond cannot be in the result, however long it is.
  const bounded = text.slice(0, maxBytes * 4);
  const plain = bounded.replace(terminalControl, '').replace(lineBreaks, ' ').replace(controls, '').toWellFormed();
  return cutBytes(plain, maxBytes);
}

/** The longest prefix of a text that has at most this many UTF-8 bytes and no half character. */
export function cutBytes(text: string, maxBytes: number): string {
  const bytes = Buffer.from(text);
  if (bytes.length <= maxBytes) return text;
  let end = maxBytes;
  while (end > 0 && ((bytes[end] ?? 0) & 0xc0) === 0x80) end--;
  return bytes.toString('utf8', 0, end);
}
