import { readFileSync } from 'node:fs';
import { type ProtocolEra, Server } from '@modelcontextprotocol/server';
import type { App } from '@patchbay/core';
import type { RequestContext } from '@patchbay/core/plugin';
import { answering } from './answering.ts';
import { getPrompt, listPrompts } from './prompts.ts';
import { callTool, listTools, type ToolMode } from './tools.ts';

const manifest = new URL('../package.json', import.meta.url);
const { version } = JSON.parse(readFileSync(manifest, 'utf8')) as { readonly version: string };

interface Connection {
  /** `legacy`: with a handshake, as before the revision of 2026-07-28. */
  readonly era: ProtocolEra;
  readonly mode: ToolMode;
  readonly context: RequestContext;
}

/** A server of the protocol for one message of one caller. */
export function createServer({ era, mode, context }: Connection, app: App): Server {
  // The older revisions announce changes on a connection that stays open for it, which a server without sessions lacks.
  const listChanged = era === 'modern';
  const hasPrompts = mode === 'functions';
  const server = new Server(
    { name: 'patchbay', title: 'Patchbay', version },
    { capabilities: { tools: { listChanged }, ...(hasPrompts && { prompts: { listChanged } }) } },
  );
  const answer = answering(context, app);
  server.setRequestHandler('tools/list', ({ params }) =>
    answer(() => listTools({ cursor: params?.cursor, mode }, context, app)),
  );
  server.setRequestHandler('tools/call', ({ params }) => answer(() => callTool(params, mode, context, app)));
  if (hasPrompts) {
    server.setRequestHandler('prompts/list', ({ params }) => answer(() => listPrompts(params?.cursor, context, app)));
    server.setRequestHandler('prompts/get', ({ params }) => answer(() => getPrompt(params, context, app)));
  }
  return server;
}
