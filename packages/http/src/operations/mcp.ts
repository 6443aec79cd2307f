import { authorize, PatchbayError, type Scope } from '@patchbay/core';
import { isCodeTool, respond } from '@patchbay/mcp';
import { defineOperation, definePublicOperation, rawBodyOf } from '../operation.ts';
import { mcpFormat } from '../output/mcp-format.ts';
import type { Reply } from '../output/wire.ts';
import { metadataPath, protectedResource } from '../protected-resource.ts';

/** A tool call has the limits of an execution, plus its envelope. */
const limitBytes = 1_048_576 + 16_384;

const callMcp = defineOperation({
  id: 'callMcp',
  method: 'POST',
  path: '/mcp',
  area: 'functions',
  // Each method requires its own: callers that may list nothing get an empty list.
  scope: 'authenticated',
  summary: 'Speak the Model Context Protocol',
  description:
    'For agents: functions are tools, by the key of their name. One JSON-RPC message per request, of the revision 2026-07-28, ' +
    'or of an older one with its handshake. `tools/call` needs the scope `functions:execute`, and counts as an execution; `tasks/get`, `tasks/update` and ' +
    '`tasks/cancel` need it as well. ' +
    'With `mode=code`, and beside more than 40 functions, there are tools to search for functions and to run programs that ' +
    'call them, which need `code:run`.',
  query: {
    mode: {
      type: 'string',
      enum: ['functions', 'code'],
      default: 'functions',
      description: '`code`: only the tools of code mode.',
    },
  },
  headers: {
    'MCP-Protocol-Version': 'The revision of the protocol, as in the message.',
    'Mcp-Method': 'The method of the message, since 2026-07-28.',
    'Mcp-Name': 'The name of the tool or prompt, or the ID of the task, since 2026-07-28.',
  },
  body: rawBodyOf({ schema: 'McpMessage', limitBytes }),
  success: {
    status: 200,
    description: 'The response to the message.',
    schema: 'McpMessage',
    streams: 'the messages of the server, of which the last one is the response.',
    otherwise: { 202: 'The message is a notification: there is no response.' },
  },
  errors: ['cross_site_request'],
  formats: [mcpFormat],
  refusesPages: true,
  isExecution: ({ body }) => isToolCall(body.json),
  async handle({ body, header, query: { mode }, context }, app) {
    const scope = scopeOf(body.json);
    if (scope) authorize(context.caller, scope);
    const { status, headers, body: sent } = await respond({ message: body.json, header, mode, context }, app);
    return reply(status, headers, sent);
  },
});

const getMcpMetadata = definePublicOperation({
  id: 'getMcpMetadata',
  method: 'GET',
  path: metadataPath,
  area: 'functions',
  scope: 'public',
  summary: 'Read where agents get access tokens',
  description:
    'The metadata of `POST /mcp` as a protected resource (RFC 9728). 404 unless an OAuth issuer of the config has the URL of ' +
    'that endpoint among its audiences: without it, API keys are the only credentials.',
  success: { status: 200, description: 'The issuers.', schema: 'ProtectedResource' },
  async handle({ services }) {
    const found = protectedResource(services);
    if (!found) throw new PatchbayError('route_not_found', 'agents have API keys here, and no OAuth issuer');
    const json = {
      resource: found.resource,
      authorization_servers: found.issuers,
      bearer_methods_supported: ['header'],
      scopes_supported: ['functions:execute', 'code:run'],
    };
    return { json };
  },
});

export const mcpOperations = [callMcp, getMcpMetadata] as const;

function isToolCall(message: unknown): boolean {
  return (message as { readonly method?: unknown } | null)?.method === 'tools/call';
}

function scopeOf(message: unknown): Scope | undefined {
  const { method, params } = Object(message) as {
    readonly method?: unknown;
    readonly params?: { readonly name?: unknown } | null;
  };
  if (String(method).startsWith('tasks/')) return 'functions:execute';
  if (!isToolCall(message)) return undefined;
  return isCodeTool(String(params?.name)) ? 'code:run' : 'functions:execute';
}

function reply(
  status: number,
  { 'Content-Type': mediaType = 'application/json', ...headers }: Readonly<Record<string, string>>,
  body: string | AsyncIterable<Uint8Array> | undefined,
): Reply {
  if (body === undefined) return { status, headers, empty: true };
  if (typeof body === 'string') return { status, headers, text: body, mediaType };
  return { status, headers, stream: body, mediaType };
}
