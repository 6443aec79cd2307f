import assert from 'node:assert/strict';
import type {
  CallingExecution,
  ExecutionFailure,
  ExecutionJob,
  ExecutionOutcome,
  Executor,
  FunctionSource,
  HostCalls,
  JsonObject,
  JsonValue,
  Schema,
} from '@patchbay/core/plugin';
import { PatchbayError } from '@patchbay/core/plugin';
import type { Runner } from '../runner.ts';
import { testContext } from '../test-context.ts';
import { childProcesses } from './leftovers.ts';

/** An executor that is started. */
export interface ExecutorUnderTest {
  readonly executor: Executor;
  /** Stop it. Called once, at the end of a test. */
  dispose(): Promise<void>;
  /** Ids of child processes that wait for a run and have none. They come and go as they like, until `dispose`. */
  spareProcessIds?(): readonly number[];
}

/** The parts of the suite. */
export const executorTopics = [
  'forms',
  'typescript',
  'data',
  'logs',
  'throws',
  'endings',
  'cancelling',
  'calls',
  'programs',
  'generators',
  'concurrency',
  'isolation',
  'tampering',
  'lifecycle',
] as const;
export type ExecutorTopic = (typeof executorTopics)[number];

export interface ExecutorConformanceOptions {
  /** A fresh executor for each test. It has to let at least four executions run at once, and twenty wait. */
  create(): Promise<ExecutorUnderTest>;
  /**
   * Those of the plugin's definition. They choose the tests.
   *
   * - `typescript`: takes TypeScript, and checks it against the schemas
   * - `host-calls`: code can call its host through its context, see `HostCalls`
   * - `programs`: takes programs that call functions, see `ProgramSource`
   * - `generators`: the function can be a generator, see `OutputWatcher`
   * - `isolation`: code reaches no files, no environment, no network, no process and no other run
   * - `process-isolation`: each run is a process, of which nothing is left
   */
  readonly capabilities?: readonly string[];
  /** Default: all. Fewer are for further configurations of an executor that passes all of them in one. */
  readonly topics?: readonly ExecutorTopic[];
}

/** The subject of a topic of the suite. */
export interface ExecutorSuite {
  readonly runner: Runner;
  readonly options: ExecutorConformanceOptions;
  /** A test with a separate executor. */
  readonly it: (name: string, body: (subject: Subject) => Promise<void>) => void;
}

export interface RunOptions {
  readonly input?: JsonObject;
  readonly inputSchema?: Schema;
  readonly outputSchema?: Schema;
  /** Of mounted tools. */
  readonly declarations?: string;
  /** Sent with the code. */
  readonly bundle?: NonNullable<FunctionSource['bundle']>;
  readonly limits?: Partial<ExecutionJob['limits']>;
  readonly signal?: AbortSignal;
  readonly executionId?: string;
  readonly onLog?: ExecutionJob['onLog'];
  /** Functions that the code can call. */
  readonly host?: HostCalls;
  readonly watcher?: ExecutionJob['watcher'];
  /** The execution that asks for this one. */
  readonly parent?: CallingExecution;
}

const anyObject: Schema = { type: 'object' };
const defaultLimits: ExecutionJob['limits'] = { wallMs: 15_000, outputBytes: 1_048_576, logBytes: 65_536 };

/** An executor with short words for what the tests do all the time. */
export class Subject {
  readonly executor: Executor;
  readonly #spareProcessIds: () => readonly number[];

  constructor(created: ExecutorUnderTest) {
    this.executor = created.executor;
    this.#spareProcessIds = () => created.spareProcessIds?.() ?? [];
  }

  /** Ids of the child processes that do not wait for a run. */
  busyProcesses(): readonly number[] {
    const spares = new Set(this.#spareProcessIds());
    return childProcesses().filter((pid) => !spares.has(pid));
  }

  /** Save a function. */
  async prepare(code: string, options: RunOptions = {}): Promise<string> {
    const { inputSchema = anyObject, outputSchema = anyObject, declarations, bundle } = options;
    const prepared = await this.executor.prepare?.(
      {
        code,
        input: inputSchema,
        output: outputSchema,
        ...(declarations !== undefined && { declarations }),
        ...(bundle && { bundle }),
      },
      testContext(options.signal === undefined ? {} : { signal: options.signal }),
    );
    return prepared?.artifact ?? bundle?.module ?? code;
  }

  /** Check and translate a program. */
  async prepareProgram(code: string, declarations: string): Promise<string> {
    const prepared = await this.executor.prepareProgram?.({ code, declarations }, testContext());
    return prepared?.artifact ?? assert.fail('the executor has no programs');
  }

  /** Run what was saved. */
  async execute(artifact: string, options: RunOptions = {}): Promise<ExecutionOutcome> {
    const { input = {}, limits = {}, signal, executionId = 'execution_test', host, onLog, watcher, parent } = options;
    return await this.executor.execute(
      {
        executionId,
        functionId: 'function_test',
        functionVersion: 1,
        artifact,
        input: JSON.stringify(input),
        limits: { ...defaultLimits, ...limits },
        ...(onLog && { onLog }),
        ...(host && { host }),
        ...(watcher && { watcher }),
      },
      { ...testContext(signal === undefined ? {} : { signal }), ...(parent && { execution: parent }) },
    );
  }

  /** Save and run. */
  async run(code: string, options: RunOptions = {}): Promise<ExecutionOutcome> {
    return await this.execute(await this.prepare(code), options);
  }

  /** Save and run what has to complete, and parse its output. */
  async output(code: string, options: RunOptions = {}): Promise<JsonValue> {
    return outputOf(await this.run(code, options));
  }

  /** Save what must be refused as code, and give the faults that were found. */
  async faults(code: string, options: RunOptions = {}): Promise<PatchbayError['errors']> {
    return await faultsOf(code, this.prepare(code, options));
  }

  /** The faults for which a program must be refused. */
  async programFaults(code: string, declarations: string): Promise<PatchbayError['errors']> {
    return await faultsOf(code, this.prepareProgram(code, declarations));
  }
}

/** Code that must be refused, with the place and the code of its first fault. */
export type Refused = readonly (readonly [code: string, line: number, column: number, fault: string])[];

export async function assertRefused(
  refused: Refused,
  faultsIn: (code: string) => Promise<PatchbayError['errors']>,
): Promise<void> {
  for (const [code, line, column, expected] of refused) {
    const [fault] = await faultsIn(code);
    assert.deepEqual([fault?.line, fault?.column, fault?.code], [line, column, expected], `${code}: ${fault?.detail}`);
  }
}

async function faultsOf(code: string, preparing: Promise<string>): Promise<PatchbayError['errors']> {
  try {
    await preparing;
  } catch (error) {
    if (!PatchbayError.is(error)) throw error;
    assert.equal(error.code, 'code_invalid');
    assert.ok(error.errors.length > 0, 'a refusal names its faults');
    for (const fault of error.errors) assert.equal(fault.pointer, '/code');
    return error.errors;
  }
  return assert.fail(`was not refused: ${code.slice(0, 200)}`);
}

/** The output of a run that has to have completed. */
export function outputOf(outcome: ExecutionOutcome): JsonValue {
  if (outcome.status !== 'completed') assert.fail(`${outcome.error.reason}: ${outcome.error.message}`);
  return JSON.parse(outcome.output) as JsonValue;
}

/** The error of a run that has to have failed for this reason. */
export function failureOf(
  outcome: ExecutionOutcome,
  ...reasons: readonly ExecutionFailure[]
): Extract<ExecutionOutcome, { readonly error: unknown }>['error'] {
  if (outcome.status === 'completed') assert.fail(`completed with ${outcome.output.slice(0, 500)}`);
  assert.ok(reasons.includes(outcome.error.reason), `${outcome.error.reason}: ${outcome.error.message}`);
  const byLimit = outcome.error.reason === 'wall_limit' || outcome.error.reason === 'cpu_limit';
  const status = byLimit ? 'timed_out' : outcome.error.reason === 'cancelled' ? 'cancelled' : 'failed';
  assert.equal(outcome.status, status);
  assert.ok(outcome.error.message.length > 0, 'a failure says something');
  assert.ok(Buffer.byteLength(outcome.error.message) <= 2048, 'the message is short');
  assert.doesNotMatch(outcome.error.message, /\p{Cc}/u, 'the message has no control characters');
  return outcome.error;
}
