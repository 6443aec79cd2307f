import { createApp, tenantId } from '@patchbay/core';
import { createFetchHandler } from '@patchbay/http';
import { bridge } from '@patchbay/mcp';
import { loadServerConfig } from '../load-server-config.ts';
import { createCommandLogger } from '../logger.ts';
import { noticeText } from '../welcome.ts';
import type { Action, CliContext } from './cli-context.ts';
import { exitCodes, UsageError } from './cli-failure.ts';
import type { ConfigOptions } from './options.ts';
import { type RemoteOptions, serverOf } from './remote.ts';

interface McpOptions extends ConfigOptions, RemoteOptions {
  readonly tenant?: string;
}

/** Speak the Model Context Protocol on standard input and output: for a server, or with its own for a config. */
export const mcp: Action<McpOptions> = async (context, options) => {
  if (options.config === undefined) await forward(context, options);
  else if (options.url === undefined) await own(context, options);
  else throw new UsageError('give --config for a separate server, or --url for a running one');
  return exitCodes.ok;
};

/** The user who can start it can read the config and its data: all functions of the tenant are its tools. */
async function own(context: CliContext, options: McpOptions): Promise<void> {
  const { cwd, env, output } = context;
  const logger = createCommandLogger(env);
  const loaded = await loadServerConfig({ file: options.config, cwd, env, logger });
  const { directory } = loaded;
  const app = await createApp(loaded.app, {
    logger,
    redactor: logger.redactor,
    // Standard output is for messages only.
    announce: (notice) => output.note(noticeText(notice)),
    env,
    directory,
    consumeJobs: loaded.server.consumeJobs,
  });
  const tenant = tenantId(options.tenant ?? 'default');
  const handle = createFetchHandler(app, { caller: () => ({ id: 'cli', kind: 'service', tenant, scopes: ['*'] }) });
  try {
    await connect(context, (init) => handle(new Request('http://localhost/mcp', init)));
  } finally {
    await app.host.stop(0);
  }
}

async function forward(context: CliContext, options: McpOptions): Promise<void> {
  const { url, apiKey } = serverOf(options, context);
  const credentials: Record<string, string> = apiKey === '' ? {} : { Authorization: `Bearer ${apiKey}` };
  await connect(context, (init) => {
    const headers = { ...(init.headers as Record<string, string>), ...credentials };
    return fetch(`${url}/mcp`, { ...init, headers, redirect: 'error' });
  });
}

async function connect(
  { readLines, write }: CliContext,
  send: (init: RequestInit) => Promise<Response>,
): Promise<void> {
  await bridge({ lines: readLines(), write: (line) => write(`${line}\n`), send });
}
