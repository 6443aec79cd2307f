import { Client, StreamableHTTPClientTransport as HttpTransport } from '@modelcontextprotocol/client';
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio';
import { Client as OlderClient } from '@modelcontextprotocol/sdk/client/index.js';
import { StdioClientTransport as OlderStdioTransport } from '@modelcontextprotocol/sdk/client/stdio.js';
import { StreamableHTTPClientTransport as OlderHttpTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import { patchbayFile } from '../driver/patchbay-file.ts';
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
  callTool(name: string, input: object, options?: CallOptions): Promise<ToolResult>;
  close(): Promise<void>;
}

interface CallOptions {
  readonly signal?: AbortSignal;
  readonly onprogress?: (progress: { readonly progress: number; readonly message?: string | undefined }) => void;
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

/** Connects to the endpoint of a server, with a key. */
export type ConnectMcp = (url: string, key?: string) => Promise<McpClient>;

/** The command that a desktop client starts. */
export const commandFor = (url: string, key: string) => ({
  command: process.execPath,
  args: ['--conditions=source', patchbayFile, 'mcp', '--url', url.replace(/\/mcp$/, '')],
  env: {
    PATH: process.env['PATH'] ?? '',
    NODE_COMPILE_CACHE: process.env['NODE_COMPILE_CACHE'] ?? '',
    PATCHBAY_API_KEY: key,
  },
});

const requestInit = (key: string) => ({ headers: { Authorization: `Bearer ${key}` } });

type Newer = ConstructorParameters<typeof Client>[1];
type Transport = Parameters<Client['connect']>[0];
type OlderTransport = Parameters<OlderClient['connect']>[0];

const connectNewer =
  (
    versionNegotiation: NonNullable<Newer>['versionNegotiation'],
    open: (url: string, key: string) => Transport,
  ): ConnectMcp =>
  async (url, key = adminKey) => {
    const client = new Client(identity, { ...(versionNegotiation && { versionNegotiation }) });
    await client.connect(open(url, key));
    return {
      listTools: (cursor) => client.listTools(cursor === undefined ? {} : { cursor }),
      callTool: async (name, input, options) =>
        (await client.callTool({ name, arguments: { ...input } }, options)) as ToolResult,
      close: () => client.close(),
    };
  };

const connectOlder =
  (open: (url: string, key: string) => OlderTransport): ConnectMcp =>
  async (url, key = adminKey) => {
    const client = new OlderClient(identity);
    await client.connect(open(url, key));
    return {
      listTools: (cursor) => client.listTools(cursor === undefined ? {} : { cursor }),
      callTool: async (name, input, options) =>
        (await client.callTool({ name, arguments: { ...input } }, undefined, options)) as ToolResult,
      close: () => client.close(),
    };
  };

const http = (url: string, key: string) => new HttpTransport(new URL(url), { requestInit: requestInit(key) });
// The types of this transport disagree with those of its client under exactOptionalPropertyTypes.
const olderHttp = (url: string, key: string) =>
  new OlderHttpTransport(new URL(url), { requestInit: requestInit(key) }) as OlderTransport;

const modern = { mode: { pin: '2026-07-28' } } as const;

/** Published clients, by the revision that they speak and how they connect. */
export const mcpClients: readonly (readonly [string, ConnectMcp])[] = [
  ['@modelcontextprotocol/client 2, revision 2026-07-28, HTTP', connectNewer(modern, http)],
  ['@modelcontextprotocol/client 2, revision 2025-11-25, HTTP', connectNewer(undefined, http)],
  ['@modelcontextprotocol/sdk 1, HTTP', connectOlder(olderHttp)],
  [
    '@modelcontextprotocol/client 2, revision 2026-07-28, stdio',
    connectNewer(modern, (url, key) => new StdioClientTransport(commandFor(url, key))),
  ],
  ['@modelcontextprotocol/sdk 1, stdio', connectOlder((url, key) => new OlderStdioTransport(commandFor(url, key)))],
];
