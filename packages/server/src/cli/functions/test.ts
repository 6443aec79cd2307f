import { existsSync } from 'node:fs';
import { join, relative } from 'node:path';
import { APIError, type Client, ExecutionError } from '@patchbay/client';
import type { Answer, Check, CheckContext, TestsFile } from '@patchbay/eval';
import type { Action, CliContext } from '../cli-context.ts';
import { exitCodes } from '../cli-failure.ts';
import { clientOf, type RemoteOptions } from '../remote.ts';
import { withBundle } from './bundles/local-bundle.ts';
import { codeFileOf, findLocal, type LocalFunction, testsFile } from './local-function.ts';
import { readYaml } from './read-yaml.ts';
import { loggedLines, placeOfThrow, type ToldExecution } from './run.ts';
import { findStored } from './stored-functions.ts';

interface TestOptions extends RemoteOptions {
  readonly dir: string;
  readonly deployed?: boolean;
}

/**
 * Run the tests in the `tests.yaml` of functions: on the code of the folder, in the server's jail and without storing
 * it, or with `--deployed` on the stored code.
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

/** Run the tests of one function. @throws UsageError if they are invalid. */
export async function* testLocal(
  local: LocalFunction,
  client: Client,
  context: Pick<CliContext, 'signal' | 'cwd'>,
  options: Pick<TestOptions, 'deployed'>,
): AsyncGenerator<Tested> {
  const { key, folder } = local;
  const { signal } = context;
  const { tests } = await readLocalTests(folder, client, signal);
  if (tests.length === 0) return;
  const ask = await askerFor(options.deployed ? local : await withBundle(local, context.cwd), client, context, options);
  // The stored code may differ from the file.
  const file = options.deployed ? undefined : relative(context.cwd, join(folder, codeFileOf(folder)));
  const call = async (path: string, body: object) =>
    (await client.request({ method: 'POST', path, body, signal })).json;
  for (const { name, input, checks, place: at } of tests) {
    const asked = ask && (await answerTo(input, ask, file));
    const fault = asked ? await faultOf(asked, checks, { case: { id: name, input, checks }, signal, call }) : noCode;
    const place = `${relative(context.cwd, join(folder, testsFile))}:${at}`;
    yield { key, name, outcome: fault ? 'failed' : 'passed', place, ...(fault && { fault }) };
  }
}

/** The tests of a folder, if it has any. @throws UsageError with every fault of the file. */
export async function readLocalTests(folder: string, client: Client, signal: AbortSignal): Promise<TestsFile> {
  const file = join(folder, testsFile);
  if (!existsSync(file)) return { tests: [], checksOfExample: undefined };
  const parsed = { file, ...(await readYaml(file)) };
  const { readTests, Vectors } = await import('@patchbay/eval');
  return readTests(parsed, { vectors: new Vectors(), findFunction: (name) => findStored(client, name, signal) });
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
  const { input: inputSchema, output, code = '', bundle } = body;

  if (code === '') return undefined;
  return (input) => outcomeOf('/functions/test', { function: { input: inputSchema, output, code, bundle }, input });
}

/** A response, and how it is shown to a person. */
interface Asked {
  readonly answer: Answer;
  readonly shown: string;
  readonly execution: ToldExecution;
}

/** @throws the error of a request that did not reach the function. */
async function answerTo(input: object, ask: Ask, codeFile: string | undefined): Promise<Asked> {
  try {
    const execution = await ask(input);
    const { output } = execution;
    return { answer: { output }, shown: JSON.stringify(output), execution };
  } catch (failure) {
    if (!(failure instanceof APIError) || failure.status === 401 || failure.status === 403) throw failure;
    const execution = failure instanceof ExecutionError ? failure.execution : {};
    const place = placeOfThrow(execution, codeFile);
    const faults = failure.errors.map(({ pointer, detail }) => `; ${pointer || '(the input)'} ${detail}`).join('');
    const { code = String(failure.status), problem } = failure;
    const message = `${code}: ${problem.detail ?? ''}${faults}`;
    const shown = `the error ${message}${place === undefined ? '' : `, at ${place}`}`;
    return { answer: { error: { code, message } }, shown, execution };
  }
}

/** The first check that has not passed. One without a vote has not passed either. */
async function faultOf(
  { answer, shown, execution }: Asked,
  checks: readonly Check[],
  context: CheckContext,
): Promise<TestFault | undefined> {
  for (const check of checks) {
    const verdict = await check.grade(answer, context);
    if ('passed' in verdict && verdict.passed) continue;
    const reason = 'noVote' in verdict ? verdict.noVote : verdict.reason;
    const logs = loggedLines(execution).map(({ level, message }) => `${level} ${message}`);
    return { expected: check.expectation, actual: reason === undefined ? shown : `${shown}: ${reason}`, logs };
  }
  return undefined;
}
