import { existsSync } from 'node:fs';
import { join, relative } from 'node:path';
import { isDeepStrictEqual } from 'node:util';
import { APIError, type Client, ExecutionError } from '@patchbay/client';
import type { Action, CliContext } from '../cli-context.ts';
import { exitCodes, UsageError } from '../cli-failure.ts';
import { clientOf, type RemoteOptions } from '../remote.ts';
import { codeFileOf, findLocal, type LocalFunction, type ReadYaml, readYaml, testsFile } from './local-function.ts';
import { loggedLines, placeOfThrow, type ToldExecution } from './run.ts';
import { findStored } from './stored-functions.ts';

interface TestOptions extends RemoteOptions {
  readonly dir: string;
  readonly deployed?: boolean;
}

/** One of `tests` in a `tests.yaml`. Exactly one of `output`, `contains` and `error`. */
interface FunctionTest {
  readonly name?: string;
  readonly input?: object;
  /** The exact output. */
  readonly output?: unknown;
  /** Members that the output has at least. */
  readonly contains?: unknown;
  /** The code of the failure that is expected. */
  readonly error?: string;
}

const members = new Set(['name', 'input', 'output', 'contains', 'error']);
const expectations = ['output', 'contains', 'error'] as const;

/**
 * Run what stands in the `tests.yaml` of functions: the code of the folder, in the jail of the server and without storing
 * it, or with `--deployed` what is stored.
 */
export const test: Action<TestOptions, [keys: readonly string[]]> = async (context, options, keys) => {
  const client = clientOf(options, context);
  const count = { passed: 0, failed: 0 };
  for (const local of await findLocal(context, options.dir, keys)) {
    for await (const tested of testLocal(local, client, context, options)) {
      const { key, name, outcome } = tested;
      count[outcome] += 1;
      const lines = [`${outcome}  ${key}: ${name}`, ...faultLines(tested)];
      context.output.result(options.json ? JSON.stringify(tested) : lines.join('\n'));
    }
  }
  context.output.note(`${count.passed} passed, ${count.failed} failed`);
  return count.failed === 0 ? exitCodes.ok : exitCodes.failure;
};

/** The outcome of one test. */
interface Tested {
  readonly key: string;
  readonly name: string;
  readonly outcome: 'passed' | 'failed';
  /** `file:line:column` of the test. */
  readonly place: string;
  /** Why it failed. */
  readonly fault?: TestFault;
}

/** The expected outcome of a test beside the actual one. */
interface TestFault {
  readonly expected: string;
  readonly actual: string;
  /** Lines that the code has logged. */
  readonly logs: readonly string[];
}

/** Why a test failed, for people: each on a line. */
export function faultLines({ fault }: Pick<Tested, 'fault'>): readonly string[] {
  if (fault === undefined) return [];
  const { expected, actual, logs } = fault;
  return [`  expected  ${expected}`, `  actual    ${actual}`, ...logs.map((line) => `  logged    ${line}`)];
}

/** Run the tests of one function. @throws UsageError where they are not what tests must be. */
export async function* testLocal(
  local: LocalFunction,
  client: Client,
  context: Pick<CliContext, 'signal' | 'cwd'>,
  options: Pick<TestOptions, 'deployed'>,
): AsyncGenerator<Tested> {
  const { tests, placeOf } = await testsOf(local);
  if (tests.length === 0) return;
  const ask = await askerFor(local, client, context, options);
  // The stored code may differ from the file.
  const file = options.deployed ? undefined : relative(context.cwd, join(local.folder, codeFileOf(local.folder)));
  for (const [index, each] of tests.entries()) {
    const fault = ask === undefined ? noCode : await faultOf(each, ask, file);
    const name = each.name ?? `test ${index + 1}`;
    const place = `${relative(context.cwd, join(local.folder, testsFile))}:${placeOf(['tests', index])}`;
    const outcome = fault === undefined ? 'passed' : 'failed';
    yield { key: local.key, name, outcome, place, ...(fault !== undefined && { fault }) };
  }
}

const noCode: TestFault = { expected: 'code to run', actual: 'it has none: try --deployed', logs: [] };

interface Given extends ToldExecution {
  readonly output: unknown;
}

type Ask = (input: object) => Promise<Given>;

async function askerFor(
  { body }: LocalFunction,
  client: Client,
  { signal }: Pick<CliContext, 'signal'>,
  { deployed }: Pick<TestOptions, 'deployed'>,
): Promise<Ask | undefined> {
  const outcomeOf = async (path: string, request: object) =>
    (await client.request({ method: 'POST', path, body: request, signal })).json as Given;
  if (deployed) {
    const id = await findStored(client, body.name, signal);
    return (input) => outcomeOf(`/functions/${id}/execute`, { input });
  }
  const { input: inputSchema, output, code = '' } = body;
  if (code === '') return undefined;
  return (input) => outcomeOf('/functions/test', { function: { input: inputSchema, output, code }, input });
}

interface ReadTests {
  readonly tests: readonly FunctionTest[];
  readonly placeOf: ReadYaml['placeOf'];
}

async function testsOf({ folder }: LocalFunction): Promise<ReadTests> {
  const file = join(folder, testsFile);
  if (!existsSync(file)) return { tests: [], placeOf: () => '' };
  const { value, placeOf } = await readYaml(file);
  const { tests } = value as { readonly tests?: unknown };
  if (!Array.isArray(tests)) throw new UsageError(`${file} needs a list "tests"`);
  for (const [index, each] of (tests as readonly (FunctionTest | null)[]).entries()) {
    const unknown = Object.keys(each ?? {}).find((name) => !members.has(name));
    const place = `${file}:${placeOf(['tests', index])} test ${index + 1}`;
    if (unknown !== undefined) throw new UsageError(`${place} has an unknown member "${unknown}"`);
    const said = expectations.filter((name) => each?.[name] !== undefined);
    if (said.length !== 1) throw new UsageError(`${place} needs one of ${expectations.join(', ')}`);
  }
  return { tests, placeOf };
}

/** The fault of a test; undefined if it passed. */
async function faultOf(
  { input = {}, output, contains, error }: FunctionTest,
  ask: Ask,
  codeFile: string | undefined,
): Promise<TestFault | undefined> {
  const expected =
    error !== undefined
      ? `the error ${error}`
      : output !== undefined
        ? JSON.stringify(output)
        : `at least ${JSON.stringify(contains)}`;
  const fault = (actual: string, execution: ToldExecution): TestFault => {
    const logs = loggedLines(execution).map(({ level, message }) => `${level} ${message}`);
    return { expected, actual, logs };
  };
  let given: Given;
  try {
    given = await ask(input);
  } catch (failure) {
    if (!(failure instanceof APIError) || failure.status === 401 || failure.status === 403) throw failure;
    if (failure.code === error) return undefined;
    const execution = failure instanceof ExecutionError ? failure.execution : {};
    const place = placeOfThrow(execution, codeFile);
    const faults = failure.errors.map(({ pointer, detail }) => `; ${pointer || '(the input)'} ${detail}`).join('');
    const message = `${failure.code}: ${failure.problem.detail ?? ''}${faults}`;
    return fault(`the error ${message}${place === undefined ? '' : `, at ${place}`}`, execution);
  }
  const isRight =
    error === undefined &&
    (output !== undefined ? isDeepStrictEqual(given.output, output) : hasAll(given.output, contains));
  return isRight ? undefined : fault(JSON.stringify(given.output), given);
}

/** Whether a value has what a pattern has: all members of objects, and lists of the same length. */
function hasAll(value: unknown, pattern: unknown): boolean {
  if (typeof pattern !== 'object' || pattern === null) return value === pattern;
  if (typeof value !== 'object' || value === null || Array.isArray(value) !== Array.isArray(pattern)) return false;
  if (Array.isArray(pattern) && pattern.length !== (value as readonly unknown[]).length) return false;
  return Object.entries(pattern).every(
    ([name, member]) => Object.hasOwn(value, name) && hasAll((value as Record<string, unknown>)[name], member),
  );
}
