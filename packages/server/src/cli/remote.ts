import { type Client, createClient } from '@patchbay/client';
import type { CliContext } from './cli-context.ts';
import { findDevelopmentServer } from './development-key.ts';
import { type Note, sayingClient } from './say-waiting.ts';
import { UsageError } from './usage-error.ts';

/** Options of every command that talks to a server. */
export interface RemoteOptions {
  readonly url?: string;
  readonly apiKey?: string;
  readonly json?: boolean;
}

const defaultUrl = 'http://127.0.0.1:4810';

/** Where commands find the server: where they are told, or else the one that `patchbay dev` runs in this folder. */
export function urlOf(options: RemoteOptions, context: CliContext): string {
  return serverOf(options, context).url;
}

export function clientOf(options: RemoteOptions, context: CliContext): Client {
  const { url, apiKey } = serverOf(options, context);
  const say: Note = (waiting) => context.output.note(options.json ? JSON.stringify({ waiting }) : waiting);
  return createClient({ baseUrl: url, apiKey, ...sayingClient(url, say) });
}

function serverOf(
  { url, apiKey }: RemoteOptions,
  { env, cwd }: CliContext,
): { readonly url: string; readonly apiKey: string } {
  const told = url || env['PATCHBAY_URL'];
  const found = told ? undefined : findDevelopmentServer(cwd);
  if (told && !/^https?:$/.test(URL.parse(told)?.protocol ?? '')) {
    const place = url ? '--url' : 'PATCHBAY_URL';
    throw new UsageError(`${place} is ${JSON.stringify(told)}, and has to be a URL such as ${defaultUrl}`);
  }
  return {
    url: (told || found?.url || defaultUrl).replace(/\/+$/, ''),
    // A key of the environment is for another server.
    apiKey: apiKey || found?.key || env['PATCHBAY_API_KEY'] || '',
  };
}
