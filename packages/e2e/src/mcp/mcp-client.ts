import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { Client as OlderClient } from '@modelcontextprotocol/sdk/client/index.js';
import { StreamableHTTPClientTransport as OlderTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import { adminKey } from '../driver/server-process.ts';

/** The result of a tool, as both generations of the SDK describe it. */
export interface ToolResult {
  readonly content: readonly { readonly type: string; readonly text?: string }[];
  readonly structuredContent?: unknown;
  readonly isError?: boolean;
}

/** The part of a client that tests use. */
export interface McpClient {
  listTools(
    cursor?: string,
  ): Promise<{ readonly tools: readonly ListedTool[]; readonly nextCursor?: string | undefined }>;
  callTool(name: string, input: object, signal?: AbortSignal): Promise<ToolResult>;
  close(): Promise<void>;
}

export interface ListedTool {
  readonly name: string;
  readonly title?: string | undefined;
  readonly description?: string | undefined;
  readonly inputSchema: object;
  readonly outputSchema?: object | undefined;
  readonly annotations?: { readonly readOnlyHint?: boolean | undefined } | undefined;
}

const identity = { name: 'test', version: '1.0.0' };

export type ConnectMcp = (url: string, key?: string) => Promise<McpClient>;

const connectNewer =
  (mode: 'modern' | 'legacy'): ConnectMcp =>
  async (url, key = adminKey) => {
    const client = new Client(identity, {
      versionNegotiation: { mode: mode === 'legacy' ? 'legacy' : { pin: '2026-07-28' } },
    });
    const requestInit = { headers: { Authorization: `Bearer ${key}` } };
    await client.connect(new StreamableHTTPClientTransport(new URL(url), { requestInit }));
    return {
      listTools: (cursor) => client.listTools(cursor === undefined ? {} : { cursor }),
      callTool: async (name, input, signal) =>
        (await client.callTool({ name, arguments: { ...input } }, signal && { signal })) as ToolResult,
      close: () => client.close(),
    };
  };

const connectOlder: ConnectMcp = async (url, key = adminKey) => {
  const client = new OlderClient(identity);
  const requestInit = { headers: { Authorization: `Bearer ${key}` } };
  // Its own types disagree under exactOptionalPropertyTypes.
  await client.connect(new OlderTransport(new URL(url), { requestInit }) as Parameters<OlderClient['connect']>[0]);
  return {
    listTools: (cursor) => client.listTools(cursor === undefined ? {} : { cursor }),
    callTool: async (name, input, signal) =>
      (await client.callTool({ name, arguments: { ...input } }, undefined, signal && { signal })) as ToolResult,
    close: () => client.close(),
  };
};

/** Published clients, by the revision that they speak. */
export const mcpClients: readonly (readonly [string, ConnectMcp])[] = [
  ['@modelcontextprotocol/client 2, revision 2026-07-28', connectNewer('modern')],
  ['@modelcontextprotocol/client 2, revision 2025-11-25', connectNewer('legacy')],
  ['@modelcontextprotocol/sdk 1', connectOlder],
];
