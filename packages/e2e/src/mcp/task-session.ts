import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { createTaskSessionFromClient, type TaskEnabledSession } from '@modelcontextprotocol/ext-tasks/client';

const protocolVersion = '2026-07-28';
const clientInfo = { name: 'test', version: '1.0.0' };
const extensions = { 'io.modelcontextprotocol/tasks': {} };

/** The response to a message. */
export interface RawAnswer {
  readonly status: number;
  readonly result?: Readonly<Record<string, unknown>>;
  readonly error?: { readonly code: number; readonly message: string; readonly data?: unknown };
}

/** Sends one message of revision 2026-07-28. */
export async function sendMcp(
  url: string,
  key: string,
  message: { readonly method: string; readonly params?: Readonly<Record<string, unknown>> },
  signal?: AbortSignal,
): Promise<RawAnswer> {
  const { method, params = {} } = message;
  const name = params['name'] ?? params['taskId'];
  const response = await fetch(url, {
    method: 'POST',
    headers: {
      authorization: `Bearer ${key}`,
      'content-type': 'application/json',
      accept: 'application/json, text/event-stream',
      'mcp-protocol-version': protocolVersion,
      'mcp-method': method,
      ...(typeof name === 'string' && { 'mcp-name': name }),
    },
    body: JSON.stringify({ jsonrpc: '2.0', id: 1, ...message }),
    ...(signal && { signal }),
  });
  return { status: response.status, ...((await response.json()) as object) };
}

/** The parameters of a message, with what a client says of itself in each. */
export const paramsOf = (params: object, knowsTasks: boolean): Readonly<Record<string, unknown>> => ({
  ...params,
  _meta: {
    'io.modelcontextprotocol/protocolVersion': protocolVersion,
    'io.modelcontextprotocol/clientInfo': clientInfo,
    'io.modelcontextprotocol/clientCapabilities': knowsTasks ? { extensions } : {},
  },
});

/** A published client with the published support of tasks, connected over HTTP. */
export interface TaskClient {
  readonly client: Client;
  readonly session: TaskEnabledSession;
  close(): Promise<void>;
}

export async function openTaskSession(url: string, key: string): Promise<TaskClient> {
  const client = new Client(clientInfo, {
    capabilities: { extensions },
    versionNegotiation: { mode: { pin: protocolVersion } },
  });
  const requestInit = { headers: { Authorization: `Bearer ${key}` } };
  await client.connect(new StreamableHTTPClientTransport(new URL(url), { requestInit }));
  const session = createTaskSessionFromClient(client, {
    endpointId: url,
    v2RequestFraming: { protocolVersion, clientInfo, clientCapabilities: {} },
    // The client itself refuses results that are no results of tools.
    rawDispatch: async (request, { signal } = {}) => {
      const { result, error } = await sendMcp(url, key, request as unknown as Parameters<typeof sendMcp>[2], signal);
      return (error ? { kind: 'error', error } : { kind: 'result', result: result ?? {} }) as Awaited<
        ReturnType<NonNullable<Parameters<typeof createTaskSessionFromClient>[1]['rawDispatch']>>
      >;
    },
  });
  return {
    client,
    session,
    close: async () => {
      await session.close();
      await client.close();
    },
  };
}
