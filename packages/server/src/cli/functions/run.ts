import { join, relative, resolve } from 'node:path';
import { APIError, type Client, ExecutionError } from '@patchbay/client';
import type { Action, CliContext } from '../cli-context.ts';
import { exitCodes } from '../cli-failure.ts';
import { readObject } from '../input.ts';
import { clientOf, type RemoteOptions } from '../remote.ts';
import { withBundle } from './bundles/local-bundle.ts';
import { codeFileOf, readLocalFunction } from './local-function.ts';
import { findStored, keyOf, NameError } from './stored-functions.ts';

interface RunOptions extends RemoteOptions {
  readonly input: string;
}

interface Ran extends ToldExecution {
  readonly output: unknown;
}

/**
 * Run a stored function by its id or name, or the one in a folder (`./functions/summarize`), which the server runs
 * without storing it.
 */
export const run: Action<RunOptions, [given: string]> = async (context, options, given) => {
  const { output, signal, cwd } = context;
  const client = clientOf(options, context);
  const input = await readObject(options.input, context);
  const send = async (path: string, body: object): Promise<Ran> =>
    (await client.request({ method: 'POST', path, body, signal })).json as Ran;
  let stored: string | undefined;
  const ask = async (): Promise<Ran> => {
    if (/^[./]/.test(given)) {
      const { body } = await withBundle(await readLocalFunction(resolve(cwd, given)), cwd);
      const { input: inputSchema, output: outputSchema, code, bundle } = body;
      const source = { input: inputSchema, output: outputSchema, code, bundle };
      return await send('/functions/test', { function: source, input });
    }
    const isId = given.startsWith('function_');
    stored = isId ? given : await assertStored(client, given, signal);
    return await send(isId ? `/functions/${given}/execute` : `/call/${encodeURIComponent(given)}`, { input });
  };
  const showLogs = (execution: ToldExecution) => {
    for (const { level, message } of loggedLines(execution)) output.note(`${level} ${message}`);
  };
  try {
    const ran = await ask();
    showLogs(ran);
    output.result(options.json ? JSON.stringify(ran) : JSON.stringify(ran.output, undefined, 2));
    return exitCodes.ok;
  } catch (error) {
    if (!(error instanceof ExecutionError) || options.json) throw error;
    const { execution, code, problem, requestId } = error;
    showLogs(execution);
    output.note(`patchbay: ${given} failed: ${code}: ${problem.detail ?? problem.title}`);
    for (const line of stackLines(execution, await codeFileHere(given, stored, client, context))) {
      output.note(`    ${line}`);
    }
    if (requestId !== undefined) output.note(`  request: ${requestId}`);
    return exitCodes.failure;
  }
};

/** The file with the code that ran, if it is here: line numbers of another version would be useless. */
async function codeFileHere(
  given: string,
  stored: string | undefined,
  client: Client,
  { cwd, signal }: CliContext,
): Promise<string | undefined> {
  const isFolder = /^[./]/.test(given);
  const folder = isFolder ? resolve(cwd, given) : join(cwd, 'functions', keyOf(given));
  const here = await readLocalFunction(folder).catch(() => undefined);
  if (here === undefined) return undefined;
  const shown = relative(cwd, join(folder, codeFileOf(folder)));
  if (isFolder) return shown;
  const there = stored && (await client.functions.get(stored, { signal }).catch(() => undefined));
  return there && there.code === here.body.code ? shown : undefined;
}

/** A call by name would call a model if nothing is stored: a misspelt name would look like success, and cost money. */
async function assertStored(client: Client, name: string, signal: AbortSignal): Promise<string | undefined> {
  try {
    return await findStored(client, name, signal);
  } catch (error) {
    // A key may be allowed to run what it may not list.
    if (error instanceof NameError) throw error;
    if (!(error instanceof APIError && error.code === 'insufficient_scope')) throw error;
    return undefined;
  }
}

/** The parts of an execution on the server that are shown to a person. */
export interface ToldExecution {
  readonly error?: unknown;
  readonly logs?: unknown;
}

/** Lines that the code has logged, with `console.log` or `context.log`. */
export function loggedLines({ logs }: ToldExecution): readonly { readonly level: string; readonly message: string }[] {
  return Array.isArray(logs) ? (logs as { level: string; message: string }[]) : [];
}

/**
 * The frames of the error, each on a line, innermost first. Empty if the code did not throw.
 *
 * @param codeFile Name of the code file here: the server calls it `function.ts`.
 */
export function stackLines({ error }: ToldExecution, codeFile: string | undefined): readonly string[] {
  const { stack } = Object(error) as { readonly stack?: unknown };
  if (typeof stack !== 'string') return [];
  const frames = stack.split('\n').filter((line) => /^\s*at /.test(line));
  const named = (frame: string) => frame.replaceAll(/\bfunction\.[jt]s(?=:\d)/g, (file) => codeFile ?? file);
  return frames.map((frame) => named(frame.trim()));
}

/** `file:line:column` of the innermost frame. */
export function placeOfThrow(execution: ToldExecution, codeFile: string | undefined): string | undefined {
  const [frame = ''] = stackLines(execution, codeFile);
  return /\(?([^\s()]+:\d+:\d+)\)?$/.exec(frame)?.[1];
}
