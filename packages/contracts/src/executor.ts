import type { RequestContext } from './context.ts';
import type { JsonObject } from './json.ts';
import type { Schema } from './json-schema.ts';
import type { Lifecycle } from './lifecycle.ts';

/**
 * A function as its author wrote it. References in its schemas are resolved: `$ref` remains only where a schema refers
 * to itself.
 */
export interface FunctionSource {
  readonly code: string;
  readonly input: Schema;
  readonly output: Schema;
  /**
   * TypeScript declarations that the code is checked against, with the interface `MountedTools`: the type of `tools` in the
   * context. Absent: nothing is known about them.
   */
  readonly declarations?: string;
  /** It runs in place of `code`, which is then only for people to read. */
  readonly bundle?: FunctionBundle;
}

/** A function bundled with what it imports into one module, before it was sent. */
export interface FunctionBundle {
  /** JavaScript module whose default export is the function. It imports nothing but built-ins that functions may use. */
  readonly module: string;
  /** Mappings of a source map, version 3, of the module. Empty: there is none. */
  readonly mappings: string;
  /** The source in the mappings that is `code`, from 0. */
  readonly source: number;
  readonly packages: readonly BundledPackage[];
}

/** A package that a bundle contains parts of. */
export interface BundledPackage {
  readonly name: string;
  readonly version: string;
  /** Hash of the package, as lockfiles have it (`sha512-…`), or of its files (`files:sha512-…`). */
  readonly integrity: string;
  /** Bytes of the module that come from it. */
  readonly bytes?: number;
}

/** A program that calls functions: TypeScript that is run once, and not stored. */
export interface ProgramSource {
  /**
   * The body of an async function, in which `functions` and `log` are those of a function's context, and nothing else
   * in that context can be reached. The output of its run is `{ value }`, with what it returned.
   */
  readonly code: string;
  /** TypeScript declarations that the code is checked against, with the interface `Functions`: the type of `functions`. */
  readonly declarations: string;
}

/** The input of `execute`: created once when a function is saved, stored with it, opaque to everything else. */
export interface PreparedFunction {
  readonly artifact: string;
}

/** One run. Documents are passed as JSON text, so that the host cannot be reached through them. */
export interface ExecutionJob {
  readonly executionId: string;
  readonly functionId: string;
  /** For people and for grants. Not unique. */
  readonly functionName?: string;
  readonly functionVersion: number;
  readonly artifact: string;
  /** JSON text of the input object, with defaults filled in and valid against the input schema. */
  readonly input: string;
  readonly limits: ExecutionLimits;
  /**
   * Called with each line of the outcome's `logs`, in that order, as soon as it is written, and before an output that the
   * code yielded after it.
   *
   * @param outputs Number of outputs that the code had yielded before. Default: those that the watcher has received.
   */
  readonly onLog?: (line: LogLine, outputs?: number) => void;
  /** Receives partial output. For executors that produce it incrementally, as models and generators do. */
  readonly watcher?: OutputWatcher;
  /** Host calls of the code. Absent: every call is rejected. */
  readonly host?: HostCalls;
}

/**
 * The host calls of one run. The host serves each call with the permissions of the run's
 * caller, so that the code needs no key and no network.
 */
export interface HostCalls {
  /** Maximum number of calls. One more ends the run: `call_limit`. */
  readonly maxCalls: number;
  /**
   * Placeholders of the secrets that the code may use, by name: random text. The host inserts
   * the secret when it sends a request.
   */
  readonly secrets: Readonly<Record<string, string>>;
  /**
   * Serve one call. Arguments and result are JSON text; the executor bounds the size of the arguments.
   *
   * @param name `ai.generate`, `ai.chat`, `ai.embed`, `ai.call`, `functions.call`, `tools.call` or `fetch`.
   * @param signal Aborts when the code aborts the call, or its run has ended.
   * @throws PatchbayError The code receives only its code, message, `retryable` and `errors`.
   */
  call(name: string, argumentsJson: string, signal: AbortSignal): Promise<string>;
}

export interface ExecutionLimits {
  /** Milliseconds from the start of the run, after any wait for a slot, until the code is killed. */
  readonly wallMs: number;
  /**
   * Maximum size of the output in bytes of JSON text, and of each output that a generator yields. All its outputs
   * together may be 256 times as large.
   */
  readonly outputBytes: number;
  /**
   * Maximum size of the logs in bytes, short lines counted as 16; further lines are dropped and `logsTruncated` is set.
   */
  readonly logBytes: number;
  /**
   * Megabytes that the code may use, inside and outside its heap. Absent, or more than the executor allows any run: the
   * executor's limit. An executor that cannot limit the memory of single runs ignores it.
   */
  readonly memoryMb?: number;
}

export interface LogLine {
  readonly level: 'debug' | 'info' | 'warn' | 'error';
  readonly message: string;
  /** ISO 8601, UTC, three decimals. */
  readonly time: string;
  /** Structured fields of the message. */
  readonly fields?: JsonObject;
}

/**
 * Why a run did not complete.
 *
 * - the code: `function_threw`, `load_failed`, `exited_early`, `never_settled`, `output_unserializable`
 * - a limit: `wall_limit`, `cpu_limit`, `memory_limit`, `output_too_large`, `call_limit`
 * - the caller or an operator: `cancelled`
 * - a model that ran the function: `output_invalid`, its responses did not match the schema
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
  /** Number of queued runs. */
  readonly waiting: number;
  /** Number of warm processes. */
  readonly spare: number;
}

/** How a run ended. `output` is JSON text. */
export type ExecutionOutcome =
  | (OutcomeBase & { readonly status: 'completed'; readonly output: string })
  | (OutcomeBase & { readonly status: 'failed' | 'timed_out' | 'cancelled'; readonly error: ExecutionError });

/** How runs are isolated, as a constant description of the executor. For operators. */
export interface ExecutorDescription {
  /** The state that runs share; `fresh` means none. */
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
 * Failures of the code are outcomes. `execute` rejects only when the executor itself fails:
 * `executor_unavailable` or `overloaded`, both with `retryAfter`.
 */
export interface Executor extends Lifecycle {
  /**
   * Code can change nothing outside its run except through host calls, so that a run that has made none may leave no
   * trace if the server is killed. Executors that claim `isolation` can set this. Default: false.
   */
  readonly isSealed?: boolean;

  /** Current load, for metrics. Cheap. Default: unknown. */
  load?(): ExecutorLoad;

  /** How runs are isolated, for metrics. Read once, after the start. Default: unknown. */
  describe?(): ExecutorDescription;

  /**
   * Check and translate a source before it is stored. Default: the code itself, or the module of its bundle, is the artifact.
   *
   * @throws PatchbayError `code_invalid`, with one entry in `errors` per fault: pointer `/code`, line and column, or a
   * pointer to a member of `/bundle`.
   */
  prepare?(source: FunctionSource, context: RequestContext): Promise<PreparedFunction>;

  /**
   * Check and translate a program. Default: there are no programs.
   *
   * @throws PatchbayError `code_invalid`, as `prepare`.
   */
  prepareProgram?(source: ProgramSource, context: RequestContext): Promise<PreparedFunction>;

  /**
   * Run once. When `context.signal` aborts, the run leaves nothing behind and the outcome is `cancelled`.
   *
   * If `context.execution` is set, another run waits for this one. It must then not wait for a slot that only its
   * own ancestors can free: it runs in the slot of the waiting run.
   */
  execute(job: ExecutionJob, context: RequestContext): Promise<ExecutionOutcome>;
}

/** Receives an output while it is being written, whenever it has grown. It must not throw. */
export interface OutputWatcher {
  /** The complete text so far, possibly with text around the JSON, and not validated. */
  wrote(text: string): void;
  /** Discard the text so far, because it was invalid or its source failed: another attempt begins. */
  restarted(why: string): void;
  /**
   * A generator has yielded an output, which replaces the previous one. Called again only when the result has resolved,
   * which means that the reader has taken it. Until then the generator may continue for a few small outputs, but no
   * further; if the reader stays away, the result never resolves.
   *
   * @param output JSON text of an object, not validated.
   * @throws SyntaxError if it is not: then the run fails as `output_unserializable`.
   */
  yielded(output: string): Promise<void>;
  /**
   * A line that the code has logged. The core calls it, executors do not. Default: no one reads the lines before the
   * end.
   *
   * @param outputs As in `onLog`: a line may come before an output that precedes it was taken, or received.
   */
  logged?(line: LogLine, outputs?: number): void;
}
