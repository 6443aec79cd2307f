import type { ErrorCode } from '@patchbay/core';
import { errorCodes } from '@patchbay/core';
import { metadataUrl } from '../protected-resource.ts';
import type { ApiFormat } from './api-format.ts';

/** The JSON-RPC codes for invalid messages. */
const codes: { readonly [C in ErrorCode]?: number } = {
  invalid_json: -32_700,
  unsupported_unicode: -32_700,
  invalid_request: -32_600,
  too_deep: -32_600,
};

/** The JSON-RPC code for whatever else a server refuses before it reads the message. */
const REFUSED = -32_000;

/** Failures of the Model Context Protocol endpoint, for requests whose message was not read. */
export const mcpFormat: ApiFormat = {
  requestIdHeader: 'X-Request-Id',
  failure: ({ code, message, errors }, requestId) => {
    const { status, retryable } = errorCodes[code];
    const data = { code, requestId, retryable, ...(errors.length > 0 && { errors }) };
    return { status, body: { jsonrpc: '2.0', id: null, error: { code: codes[code] ?? REFUSED, message, data } } };
  },
  challenge: ({ services }) => {
    const url = metadataUrl(services);
    return url === undefined ? undefined : `resource_metadata="${url}"`;
  },
  failureSchema: 'McpMessage',
  failureEvent: (body) => `event: message\ndata: ${body}\n\n`,
};
