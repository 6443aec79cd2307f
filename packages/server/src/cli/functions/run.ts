import { resolve } from 'node:path';
import { APIError, type Client, ExecutionError } from '@patchbay/client';
import type { Action } from '../cli-context.ts';
import { exitCodes } from '../exit-codes.ts';
import { readObject } from '../input.ts';
import { clientOf, type RemoteOptions } from '../remote.ts';
import { findStored, NameError } from './find-stored.ts';
import { readLocalFunction } from './local-function.ts';

interface RunOptions extends RemoteOptions {
  readonly input: string;
}

interface Ran {
  readonly output: unknown;
  readonly logs?: readonly { readonly level: string; readonly message: string }[];
}

/**
 * Run a stored function by its id or name, or the one in a folder (`./functions/summarize`), which the server runs
 * without storing it.
 */
export const run: (given: string) => Action<RunOptions> = (given) => async (context, options) => {
  const { output, signal, cwd } = context;
  const client = clientOf(options, context);
  const input = await readObject(options.input, context);
  const send = async (path: string, body: object): Promise<Ran> =>
    (await client.request({ method: 'POST', path, body, signal })).json as Ran;
  const ask = async (): Promise<Ran> => {
    if (/^[./]/.test(given)) {
      const { body } = await readLocalFunction(resolve(cwd, given));
      const { input: inputSchema, output: outputSchema, code } = body;
      return await send('/functions/test', { function: { input: inputSchema, output: outputSchema, code }, input });
    }
    const isId = given.startsWith('function_');
    if (!isId) await assertStored(client, given, signal);
    return await send(isId ? `/functions/${given}/execute` : `/call/${encodeURIComponent(given)}`, { input });
  };
  const show = ({ logs = [] }: Partial<Ran>) => {
    for (const { level, message } of logs) output.note(`${level} ${message}`);
  };
  try {
    const ran = await ask();
    show(ran);
    output.result(options.json ? JSON.stringify(ran) : JSON.stringify(ran.output, undefined, 2));
    return exitCodes.ok;
  } catch (error) {
    if (error instanceof APIError && error instanceof ExecutionError && !options.json) show(error.execution);
    throw error;
  }
};

/** A call by name would have a model answer where nothing is stored: a misspelt name would look like success, and cost. */
async function assertStored(client: Client, name: string, signal: AbortSignal): Promise<void> {
  try {
    await findStored(client, name, signal);
  } catch (error) {
    // A key may run what it may not list.
    if (error instanceof NameError) throw error;
    if (!(error instanceof APIError && error.code === 'insufficient_scope')) throw error;
  }
}
