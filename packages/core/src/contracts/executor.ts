import type { RequestContext } from './context.ts';
import type { JsonObject } from './json.ts';
import type { Schema } from './json-schema.ts';
import type { Lifecycle } from './lifecycle.ts';

/** A function as its author wrote it. */
export interface FunctionSource {
  readonly code: string;
  readonly input: Schema;
  readonly output: Schema;
}

/** The input of `execute`: made once when a function is saved, stored with it, opaque to everything else. */
export interface PreparedFunction {
  readonly artifact: string;
}

/** One run. Documents cross as JSON text, so that the host cannot be reached through them. */
export interface ExecutionJob {
  readonly executionId: string;
  readonly functionId: string;
  /** For people and their grants. Not unique. */
  readonly functionName?: string;
  readonly functionVersion: number;
  readonly artifact: string;
  /** JSON text of the input object, with defaults filled in and valid against the input schema. */
  readonly input: string;
  readonly limits: ExecutionLimits;
  /** Called with each line of the outcome's `logs`, in that order, as soon as it is written. */
  readonly onLog?: (line: LogLine) => void;
  /** Sees the output while it is written. For executors that write it piece by piece, as models do. */
  readonly watcher?: OutputWatcher;
  /** Calls of the code to its host. Absent: every call is refused. */
  readonly host?: HostCalls;
}

/**
 * The calls that running code may make to its host, for one run. The host serves each call under the rights of the run's
 * caller, so that the code needs no key and no network.
 */
export interface HostCalls {
  /** Calls that the code may make. The run that makes one more is ended: `call_limit`. */
  readonly maxCalls: number;
  /**
   * Placeholders of the secrets that the code may use, by name: random text. The host puts
   * the secret in its place when a request leaves.
   */
  readonly secrets: Readonly<Record<string, string>>;
  /**
   * Serve one call. Arguments and result are JSON text; the executor bounds the size of the arguments.
   *
   * @param name `ai.generate`, `ai.chat`, `ai.embed`, `ai.call`, `functions.call` or `fetch`.
   * @param signal Aborts when the code does not want the result any more, or its run is over.
   * @throws PatchbayError The code gets its code, message, `retryable` and `errors`, and nothing else of it.
   */
  call(name: string, argumentsJson: string, signal: AbortSignal): Promise<string>;
}

export interface ExecutionLimits {
  /** Milliseconds from the start of the run, after any wait for a free place, until the code is killed. */
  readonly wallMs: number;
  /** Bytes of JSON text that the output may have. */
  readonly outputBytes: number;
  /**
   * Bytes of log text that are kept, short lines counted as 16; what comes after is dropped and `logsTruncated` is set.
   */
  readonly logBytes: number;
}

export interface LogLine {
  readonly level: 'debug' | 'info' | 'warn' | 'error';
  readonly message: string;
  /** ISO 8601, UTC, three decimals. */
  readonly time: string;
  /** Structured fields beside the message. */
  readonly fields?: JsonObject;
}

/**
 * Why a run did not complete.
 *
 * - the code: `function_threw`, `load_failed`, `exited_early`, `never_settled`, `output_unserializable`
 * - a limit: `wall_limit`, `cpu_limit`, `memory_limit`, `output_too_large`, `call_limit`
 * - the caller or an operator: `cancelled`
 * - a model that did the work: `output_invalid`, its responses did not fit
 * - a broken sandbox: `protocol_violation`
 */
export type ExecutionFailure =
  | 'function_threw'
  | 'load_failed'
  | 'exited_early'
  | 'never_settled'
  | 'output_unserializable'
  | 'output_invalid'
  | 'output_too_large'
  | 'wall_limit'
  | 'cpu_limit'
  | 'memory_limit'
  | 'call_limit'
  | 'cancelled'
  | 'protocol_violation';

export interface ExecutionError {
  readonly reason: ExecutionFailure;
  /** The error of the code, or one sentence. Control characters removed, at most 2 KiB. */
  readonly message: string;
  /** Frames of the author's own code only, with their own line numbers. */
  readonly stack?: string;
}

interface OutcomeBase {
  readonly logs: readonly LogLine[];
  readonly logsTruncated: boolean;
  /** Milliseconds from the call of `execute` to the outcome. */
  readonly durationMs: number;
  /** Measurements, such as `{ cpuMs: 12 }`. */
  readonly usage?: JsonObject;
}

export interface ExecutorLoad {
  readonly running: number;
  /** Runs that wait for a free place. */
  readonly waiting: number;
  /** Places that are ready to take a run at once. */
  readonly spare: number;
}

/** How a run ended. `output` is JSON text. */
export type ExecutionOutcome =
  | (OutcomeBase & { readonly status: 'completed'; readonly output: string })
  | (OutcomeBase & { readonly status: 'failed' | 'timed_out' | 'cancelled'; readonly error: ExecutionError });

/** How runs are isolated, in the executor's words, which do not change while it runs. For operators. */
export interface ExecutorDescription {
  /** The state that runs share; `fresh`: none. */
  readonly isolation?: string;
  /** Mechanism that separates a run from the machine; `none` where there is none, for which `patchbay doctor` fails. */
  readonly jail?: string;
}

/**
 * Runs the code of functions.
 *
 * The code is hostile until proven otherwise: an executor that claims the capability `isolation` gives it no files, no
 * environment, no network, no other run's memory, and kills it at its limits.
 *
 * Faults of the code are outcomes. `execute` rejects only when the executor itself cannot work:
 * `executor_unavailable` or `overloaded`, both with `retryAfter`.
 */
export interface Executor extends Lifecycle {
  /** Current load, for metrics. Cheap. Default: not known. */
  load?(): ExecutorLoad;

  /** How runs are isolated, for metrics. Read once it has started. Default: not known. */
  describe?(): ExecutorDescription;

  /**
   * Check and translate a source before it is stored. Default: the code itself is the artifact.
   *
   * @throws PatchbayError `code_invalid`, with one entry in `errors` per fault: pointer `/code`, line and column.
   */
  prepare?(source: FunctionSource, context: RequestContext): Promise<PreparedFunction>;

  /**
   * Run once. When `context.signal` aborts, the run leaves nothing behind and the outcome is `cancelled`.
   *
   * Where `context.execution` is set, another run waits for this one. It must then not wait for a slot that only its
   * own ancestors can free: it takes over the place of the one that waits.
   */
  execute(job: ExecutionJob, context: RequestContext): Promise<ExecutionOutcome>;
}

/** Receives an output while it is written, as often as there is something new. It must not throw. */
export interface OutputWatcher {
  /** The JSON text so far, from its beginning, as its author writes it: with anything around it, and not checked yet. */
  wrote(text: string): void;
  /** The text until now is void, because it did not fit or its author failed: another attempt begins. */
  restarted(why: string): void;
}
