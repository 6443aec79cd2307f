import { jsonTextOf } from '@patchbay/core';
import { apiVersion } from '../api-version.ts';
import type { Route } from '../routing/route.ts';
import type { Reply, WireReply } from './reply.ts';

/** Put an answer into the form that binders write. JSON is made into text once, here. */
export function toWire(reply: Reply, { operation, basePath }: Route, mountPath: string): WireReply {
  const headers: Record<string, string> = {};
  let body: WireReply['body'];
  if ('json' in reply) {
    headers['Content-Type'] = 'application/json';
    body = jsonTextOf(reply.json);
  } else if ('text' in reply) {
    headers['Content-Type'] = reply.mediaType;
    body = reply.text;
  } else if ('stream' in reply) {
    headers['Content-Type'] = reply.mediaType;
    body = reply.stream;
  }
  if (reply.location !== undefined) headers['Location'] = mountPath + basePath + reply.location;
  if (reply.headers) Object.assign(headers, reply.headers);
  return { status: reply.status ?? operation.success.status, headers, body, close: false };
}

/** The headers that every answer has. */
export function withCommonHeaders(headers: Record<string, string>, requestId: string): void {
  headers['Request-Id'] = requestId;
  headers['Patchbay-Version'] = apiVersion;
  headers['Cache-Control'] = 'no-store';
  headers['X-Content-Type-Options'] = 'nosniff';
}
