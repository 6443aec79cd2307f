import type { ValidRequest } from './mutate-request.ts';

const accept = 'application/json, text/event-stream';
const meta = {
  'io.modelcontextprotocol/protocolVersion': '2026-07-28',
  'io.modelcontextprotocol/clientInfo': { name: 'fuzz', version: '1.0.0' },
  'io.modelcontextprotocol/clientCapabilities': { extensions: { 'io.modelcontextprotocol/tasks': {} } },
};

/** A message of the newest revision. */
const newest = (
  method: string,
  params: Readonly<Record<string, unknown>> = {},
  name = params['name'],
): ValidRequest => ({
  method: 'POST',
  path: '/mcp',
  headers: {
    accept,
    'mcp-protocol-version': '2026-07-28',
    'mcp-method': method,
    ...(typeof name === 'string' && { 'mcp-name': name }),
  },
  body: { jsonrpc: '2.0', id: 1, method, params: { ...params, _meta: meta } },
});

/** A message of an older revision. */
const older = (method: string, params: object): ValidRequest => ({
  method: 'POST',
  path: '/mcp',
  headers: { accept, 'mcp-protocol-version': '2025-11-25', 'mcp-session-id': 'a' },
  body: { jsonrpc: '2.0', id: 1, method, params },
});

const call = { name: 'summarizeText', arguments: { text: 'a. b', maxPoints: 1 } };
const taskId = 'execution_00000000000000000000000000';
const clientInfo = { name: 'fuzz', version: '1.0.0' };

/** Messages of agents. */
export const mcpRequests: readonly ValidRequest[] = [
  newest('server/discover'),
  newest('tools/list', { cursor: 'a' }),
  newest('tools/call', call),
  newest('tools/call', { name: 'search_functions', arguments: { query: 'summarize' } }),
  newest('tools/call', { name: 'run_code', arguments: { code: 'return 1' } }),
  newest('prompts/list'),
  newest('prompts/get', { name: 'summarizeText@1', arguments: { text: 'a' } }),
  newest('tasks/get', { taskId }, taskId),
  newest('tasks/update', { taskId, inputResponses: {} }, taskId),
  newest('tasks/cancel', { taskId }, taskId),
  older('initialize', { protocolVersion: '2025-11-25', capabilities: {}, clientInfo }),
  older('tools/list', {}),
  older('tools/call', call),
  older('notifications/cancelled', { requestId: 1 }),
];
