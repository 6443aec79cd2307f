import {
  type CallToolRequest,
  type ListToolsResult,
  ProtocolError,
  ProtocolErrorCode,
  type Result,
  type Tool,
} from '@modelcontextprotocol/server';
import type { App } from '@patchbay/core';
import type { ExecutionJob, JsonObject, RequestContext, Schema } from '@patchbay/core/plugin';
import { callCodeTool, codeTools } from './code-tools.ts';
import { createdTask } from './tasks.ts';
import { completed, failed } from './tool-result.ts';

type FunctionTool = Awaited<ReturnType<App['services']['functionTools']['list']>>['rows'][number];

const PAGE = 100;

/** How long clients may keep a list without asking again; those that subscribe to changes are notified immediately. */
const FRESH_MS = 60_000;

/** Beyond this number of functions, their definitions take more of a prompt than a model should spend on them. */
const MAX_DIRECT = 40;

/** The tools of a server: `functions` has every function, `code` those of code mode only. */
export type ToolMode = 'functions' | 'code';

/** The tools that a caller may call. Those of code mode are listed first if there are more than 40 functions. */
export async function listTools(
  { cursor, mode }: { readonly cursor: string | undefined; readonly mode: ToolMode },
  context: RequestContext,
  { services }: App,
): Promise<ListToolsResult> {
  const fresh = { ttlMs: FRESH_MS, cacheScope: 'private' } as const;
  const ownTools = services.codeMode.isFor(context) ? codeTools : [];
  if (mode === 'code') {
    // All tools are one page.
    if (cursor !== undefined) throw new ProtocolError(ProtocolErrorCode.InvalidParams, 'the cursor cannot be used');
    return { tools: [...ownTools], ...fresh };
  }
  const page = { limit: PAGE, ...(cursor !== undefined && { cursor }) };
  const { rows, nextCursor } = await services.functionTools.list(page, context);
  const isLong = rows.length > MAX_DIRECT || nextCursor !== undefined;
  const first = cursor === undefined && isLong ? ownTools : [];
  return { tools: [...first, ...rows.map(toTool)], ...fresh, ...(nextCursor !== undefined && { nextCursor }) };
}

function toTool({ name, source, input, output, readOnly }: FunctionTool): Tool {
  return {
    name,
    title: source.name,
    ...(source.description !== '' && { description: source.description }),
    inputSchema: objectSchema(input),
    outputSchema: objectSchema(output),
    annotations: { readOnlyHint: readOnly },
  };
}

function objectSchema(schema: Schema): Tool['inputSchema'] {
  return { ...schema, type: 'object' } as Tool['inputSchema'];
}

interface ToolCall {
  readonly mode: ToolMode;
  readonly tasks: boolean;
  /** Receives the outputs of a generator. */
  readonly watcher: ExecutionJob['watcher'];
}

/** Call a function, or start a task for clients that support `tasks`. Its failure is a result, so that a model can read it and try again. */
export async function callTool(
  { name, arguments: input = {} }: CallToolRequest['params'],
  { mode, tasks, watcher }: ToolCall,
  context: RequestContext,
  app: App,
): Promise<Result> {
  const result = await callCodeTool(name, input, context, app);
  if (result) return result;
  const tool = mode === 'functions' ? await app.services.functionTools.find(name, context) : undefined;
  if (!tool) throw new ProtocolError(ProtocolErrorCode.InvalidParams, `Unknown tool: ${name.slice(0, 200)}`);
  const { executions } = app.services;
  try {
    if (tasks && tool.isTask) {
      return createdTask(await executions.enqueue(tool.source.id, input as JsonObject, context), app);
    }
    return completed(await executions.execute(tool.source.id, input as JsonObject, context, watcher));
  } catch (error) {
    return failed(error, app);
  }
}
