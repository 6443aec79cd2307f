import {
  type CallToolRequest,
  type CallToolResult,
  type ListToolsResult,
  ProtocolError,
  ProtocolErrorCode,
  type Tool,
} from '@modelcontextprotocol/server';
import { type App, resolvedSchema } from '@patchbay/core';
import type { JsonObject, RequestContext, Schema } from '@patchbay/core/plugin';
import { completed, failed } from './tool-result.ts';

type FunctionTool = Awaited<ReturnType<App['services']['functionTools']['list']>>['rows'][number];

const PAGE = 100;

/** How long clients may keep a list without asking again; those that listen for changes hear of them at once. */
const FRESH_MS = 60_000;

/** The tools that a caller may call. */
export async function listTools(
  cursor: string | undefined,
  context: RequestContext,
  { services }: App,
): Promise<ListToolsResult> {
  const page = { limit: PAGE, ...(cursor !== undefined && { cursor }) };
  const { rows, nextCursor } = await services.functionTools.list(page, context);
  return {
    tools: rows.map(toTool),
    ttlMs: FRESH_MS,
    cacheScope: 'private',
    ...(nextCursor !== undefined && { nextCursor }),
  };
}

function toTool({ name, source, readOnly }: FunctionTool): Tool {
  return {
    name,
    title: source.name,
    ...(source.description !== '' && { description: source.description }),
    inputSchema: objectSchema(source.input),
    outputSchema: objectSchema(source.output),
    annotations: { readOnlyHint: readOnly },
  };
}

/** In the spelling of JSON Schema 2020-12, whatever the function was written in. */
function objectSchema(schema: Schema): Tool['inputSchema'] {
  return { ...resolvedSchema(schema), type: 'object' } as Tool['inputSchema'];
}

/** Call a function. Its failure is a result, so that a model can read it and try again. */
export async function callTool(
  { name, arguments: input = {} }: CallToolRequest['params'],
  context: RequestContext,
  app: App,
): Promise<CallToolResult> {
  const tool = await app.services.functionTools.find(name, context);
  if (!tool) throw new ProtocolError(ProtocolErrorCode.InvalidParams, `Unknown tool: ${name.slice(0, 200)}`);
  try {
    return completed(await app.services.executions.execute(tool.source.id, input as JsonObject, context));
  } catch (error) {
    return failed(error, app);
  }
}
