import { readFileSync } from 'node:fs';
import { type CallToolResult, fromJsonSchema, type ProtocolEra } from '@modelcontextprotocol/server';
import type { App } from '@patchbay/core';
import type { RequestContext } from '@patchbay/core/plugin';
import { answering } from './answering.ts';
import { FunctionServer } from './function-server.ts';
import { progressWatcher, type Reading } from './progress.ts';
import { getPrompt, listPrompts } from './prompts.ts';
import { cancelTask, getTask, tasksExtension, unknownTasks, updateTask } from './tasks.ts';
import { callTool, listTools, type ToolMode } from './tools.ts';

const manifest = new URL('../package.json', import.meta.url);
const { version } = JSON.parse(readFileSync(manifest, 'utf8')) as { readonly version: string };

interface Connection {
  /** `legacy`: with a handshake, as before the revision of 2026-07-28. */
  readonly era: ProtocolEra;
  readonly mode: ToolMode;
  /** Whether the client supports tasks. */
  readonly tasks: boolean;
  readonly context: RequestContext;
  /** Of the response. */
  readonly reading: Reading;
}

/** A server of the protocol for one message of one caller. */
export function createServer({ era, mode, tasks, context, reading }: Connection, app: App): FunctionServer {
  // The older revisions announce changes on a connection kept open for that, which a server without sessions lacks.
  const listChanged = era === 'modern';
  const hasPrompts = mode === 'functions';
  const server = new FunctionServer(
    { name: 'patchbay', title: 'Patchbay', version },
    {
      capabilities: {
        tools: { listChanged },
        ...(hasPrompts && { prompts: { listChanged } }),
        ...(tasks && { extensions: { [tasksExtension]: {} } }),
      },
    },
  );
  const answer = answering(context, app);
  server.setRequestHandler('tools/list', ({ params }) =>
    answer(() => listTools({ cursor: params?.cursor, mode }, context, app)),
  );
  // The library's types do not include tasks.
  server.setRequestHandler('tools/call', ({ params }, request) => {
    const watcher = progressWatcher(request, reading);
    return answer(async () => (await callTool(params, { mode, tasks, watcher }, context, app)) as CallToolResult);
  });
  if (hasPrompts) {
    server.setRequestHandler('prompts/list', ({ params }) => answer(() => listPrompts(params?.cursor, context, app)));
    server.setRequestHandler('prompts/get', ({ params }) => answer(() => getPrompt(params, context, app)));
  }
  if (era === 'modern') {
    for (const [method, handle] of Object.entries(taskMethods)) {
      server.setRequestHandler(method, { params: taskParams }, ({ taskId }) => {
        if (!tasks) throw unknownTasks();
        return answer(() => handle(taskId, context, app));
      });
    }
  }
  return server;
}

const taskMethods = { 'tasks/get': getTask, 'tasks/update': updateTask, 'tasks/cancel': cancelTask };

const taskParams = fromJsonSchema<{ readonly taskId: string }>({
  type: 'object',
  properties: { taskId: { type: 'string' } },
  required: ['taskId'],
});
