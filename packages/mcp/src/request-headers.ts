import type { Connection } from './bridge.ts';

/** The parts of a JSON-RPC message that are read. */
export interface Message {
  readonly jsonrpc?: unknown;
  readonly id?: unknown;
  readonly method?: unknown;
  readonly params?: Readonly<Record<string, unknown>>;
  readonly result?: Readonly<Record<string, unknown>>;
}

const VERSION = 'io.modelcontextprotocol/protocolVersion';

/** The headers of a message over HTTP: since 2026-07-28 they repeat parts of it. */
export function headersOf({ method, params }: Message, { version, session }: Connection): Record<string, string> {
  const meta = params?.['_meta'] as Readonly<Record<string, unknown>> | undefined;
  const own = meta?.[VERSION];
  const headers: Record<string, string> = {
    'Content-Type': 'application/json',
    Accept: 'application/json, text/event-stream',
  };
  if (typeof own !== 'string') {
    if (version !== undefined) headers['MCP-Protocol-Version'] = version;
    if (session !== undefined) headers['Mcp-Session-Id'] = session;
    return headers;
  }
  headers['MCP-Protocol-Version'] = own;
  if (typeof method === 'string') headers['Mcp-Method'] = headerText(method);
  const name = params?.['name'] ?? params?.['uri'] ?? params?.['taskId'];
  if (typeof name === 'string') headers['Mcp-Name'] = headerText(name);
  return headers;
}

const plain = /^[\x21-\x7e](?:[\x20-\x7e]*[\x21-\x7e])?$/;

/** The protocol's encoding for strings that a header cannot contain. */
function headerText(text: string): string {
  if (plain.test(text) && !text.startsWith('=?base64?')) return text;
  return `=?base64?${Buffer.from(text).toString('base64')}?=`;
}
