import { createMcpHandler } from '@modelcontextprotocol/server';
import type { App } from '@patchbay/core';
import type { RequestContext } from '@patchbay/core/plugin';
import { cancellable } from './cancellable.ts';
import { createServer } from './create-server.ts';
import { Reading } from './progress.ts';
import { knowsTasks, refuseTasks } from './tasks.ts';
import type { ToolMode } from './tools.ts';

/** A message of a client, after its credentials were checked. */
export interface McpRequest {
  /** One JSON-RPC message. */
  readonly message: unknown;
  /** A header by its lower-case name. */
  readonly header: (name: string) => string | undefined;
  /** The tools that are served. */
  readonly mode: ToolMode;
  readonly context: RequestContext;
}

/** The response, for whatever speaks HTTP. */
export interface McpResponse {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  /** JSON as text, server-sent events as bytes. Absent: a notification gets no response. */
  readonly body?: string | AsyncIterable<Uint8Array>;
}

/** The headers that the protocol defines. */
const headerNames = [
  'accept',
  'content-type',
  'mcp-protocol-version',
  'mcp-method',
  'mcp-name',
  'mcp-session-id',
] as const;

/** The response to a message, by a server of the protocol created for it. */
export async function answer(request: McpRequest, app: App): Promise<McpResponse> {
  const { context, release } = cancellable(request, app);
  try {
    const reading = new Reading();
    const { body, ...head } = await serve({ ...request, context }, reading, app);
    const headers = { ...head.headers, ...sessionOf(request) };
    if (typeof body === 'object') return { ...head, headers, body: endingWith(body, reading, release) };
    release();
    return { ...head, headers, ...(body !== undefined && { body }) };
  } catch (error) {
    release();
    throw error;
  }
}

async function serve(request: McpRequest, reading: Reading, app: App): Promise<McpResponse> {
  const { message, mode, context } = request;
  const { functionTools } = app.services;
  const refusedTasks = refuseTasks(message);
  if (refusedTasks !== undefined) {
    return { status: 400, headers: { 'Content-Type': 'application/json' }, body: refusedTasks };
  }
  const refusals: unknown[] = [];
  const tasks = knowsTasks(message);
  const handler = createMcpHandler(({ era }) => createServer({ era, mode, tasks, context, reading }, app), {
    bus: {
      // The storage reports changes, whichever server made them.
      publish: () => {},
      subscribe(listener) {
        try {
          return functionTools.watch(context.caller, {
            onChange: () => {
              listener({ kind: 'tools_list_changed' });
              listener({ kind: 'prompts_list_changed' });
            },
            onUnauthorized: () => void handler.close(),
          });
        } catch (error) {
          refusals.push(error);
          throw error;
        }
      },
    },
    onerror: (error) => context.logger.debug('a message was refused', { error }),
  });
  // Its URL has no meaning here: the request was routed.
  const asked = new Request('http://localhost/mcp', {
    method: 'POST',
    headers: headersOf(request),
    signal: context.signal,
  });
  const response = await handler.fetch(asked, { parsedBody: message });
  // The handler would only report that something went wrong here.
  for (const refusal of refusals) throw refusal;
  return await toMcpResponse(response);
}

/** A name for the connection of a client that begins with a handshake. Nothing is stored under it. */
function sessionOf({ message }: McpRequest): Record<string, string> {
  const { method } = message as { readonly method?: unknown };
  return method === 'initialize' ? { 'Mcp-Session-Id': crypto.randomUUID() } : {};
}

async function* endingWith(
  body: AsyncIterable<Uint8Array>,
  reading: Reading,
  end: () => void,
): AsyncGenerator<Uint8Array> {
  try {
    reading.ask();
    for await (const chunk of body) {
      yield chunk;
      reading.ask();
    }
  } finally {
    end();
  }
}

function headersOf({ header }: McpRequest): Record<string, string> {
  return Object.fromEntries(
    headerNames.flatMap((name) => {
      const value = header(name);
      return value === undefined ? [] : [[name, value]];
    }),
  );
}

async function toMcpResponse({ status, headers: given, body }: Response): Promise<McpResponse> {
  const type = given.get('content-type');
  if (body === null || type === null) return { status, headers: {} };
  const headers = { 'Content-Type': type };
  if (!type.startsWith('text/event-stream')) return { status, headers, body: await new Response(body).text() };
  // Without it, proxies buffer what should arrive immediately.
  return { status, headers: { ...headers, 'X-Accel-Buffering': 'no' }, body };
}
