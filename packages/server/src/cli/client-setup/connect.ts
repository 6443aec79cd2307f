import { APIError, type Client } from '@patchbay/client';
import type { Action } from '../cli-context.ts';
import { UsageError } from '../cli-failure.ts';
import { counted, printResult } from '../output.ts';
import { clientOf, type RemoteOptions, serverOf } from '../remote.ts';
import { AUTO, connectedClients } from './snippets.ts';

interface ConnectOptions extends RemoteOptions {
  readonly model?: string;
}

/** Print what connects another vendor's client to the server, once the server has responded as that client requires. */
export const connect: Action<ConnectOptions, [client: keyof typeof connectedClients]> = async (
  context,
  options,
  name,
) => {
  const { output, signal, env } = context;
  const { url, apiKey } = serverOf(options, context);
  const { model } = options;
  const client = clientOf(options, context);
  const models = await modelsOf(client, url, signal);
  await askCompatible(client, `/v1/models/${model ?? AUTO}`, signal);
  if (name === 'claude-code' && model === undefined && !models.some(({ id }) => id.includes('claude'))) {
    throw new UsageError('the server has no model of those that Claude Code asks for: name another one with --model');
  }

  const { install, snippet } = connectedClients[name];
  const code = snippet({ url, model });
  printResult(output, options, { client: name, url, ...(model && { model }), install, snippet: code }, code);
  output.note(`checked: ${url}/v1 has ${counted(models.length, 'model')} for this key`);
  if (models.every(({ owned_by: owner }) => owner === 'demo' || owner === 'patchbay')) {
    output.note('no provider has a key yet: the demo answers, which is not a language model');
  }
  output.note(`if it is not installed: ${install}`);
  if (env['PATCHBAY_API_KEY'] !== apiKey) output.note('set PATCHBAY_API_KEY to the key that was used here');
};

interface CompatibleModel {
  readonly id: string;
  readonly owned_by: string;
}

async function modelsOf(client: Client, url: string, signal: AbortSignal): Promise<readonly CompatibleModel[]> {
  const list = (await askCompatible(client, '/v1/models', signal).catch((error: unknown) => {
    // There is no such path: whatever code another server uses for that, it is not a missing model.
    throw error instanceof APIError && error.status === 404 ? new APIError(404, { title: error.message }) : error;
  })) as { readonly data?: unknown } | undefined;
  if (!Array.isArray(list?.data)) throw new Error(`${url} is no Patchbay server: its /v1/models is no list of models`);
  return list.data as readonly CompatibleModel[];
}

/** Call an endpoint that responds in the format of another vendor, errors included. */
async function askCompatible(client: Client, path: string, signal: AbortSignal): Promise<unknown> {
  try {
    return (await client.request({ method: 'GET', path, signal })).json;
  } catch (error) {
    if (!(error instanceof APIError)) throw error;
    const { message, code } = Object(error.problem['error']) as { readonly message?: string; readonly code?: string };
    if (message === undefined || code === undefined) throw error;
    throw new APIError(error.status, { detail: message, code });
  }
}
