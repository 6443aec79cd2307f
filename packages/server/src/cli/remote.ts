import { type Client, createClient } from '@patchbay/client';
import type { CliContext } from './cli-context.ts';

/** Options of every command that talks to a server. */
export interface RemoteOptions {
  readonly url?: string;
  readonly apiKey?: string;
  readonly json?: boolean;
}

const defaultUrl = 'http://127.0.0.1:4810';

/** Where commands find the server. */
export function urlOf({ url }: RemoteOptions, { env }: CliContext): string {
  return (url || env['PATCHBAY_URL'] || defaultUrl).replace(/\/+$/, '');
}

export function clientOf(options: RemoteOptions, context: CliContext): Client {
  const apiKey = options.apiKey || context.env['PATCHBAY_API_KEY'] || '';
  return createClient({ baseUrl: urlOf(options, context), apiKey });
}
