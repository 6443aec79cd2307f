import { type ErrorCode, errorCodes } from '@patchbay/core';
import type { Answer } from './server-process.ts';

const members = ['type', 'title', 'status', 'detail', 'instance', 'code', 'requestId', 'retryable'];

export const inside = /\bat .*:\d+:\d+|node_modules|\.ts\b|SQLITE|SELECT /;

/** Why a response is not a problem document as documented; undefined if it is one. */
export function problemFault({ status, headers, body }: Answer): string | undefined {
  const code = String(body['code']);
  if (!Object.hasOwn(errorCodes, code)) return `the code ${code} is not in the table`;
  const known = errorCodes[code as ErrorCode];
  if (known.status !== status) return `${code} came with the status ${status}`;
  const missing = members.filter((member) => body[member] === undefined);
  if (missing.length > 0) return `${code} has no ${missing.join(', ')}`;
  if (body['status'] !== status || body['title'] !== known.title) return `${code} has another status or title`;
  if (!/^request_[0-7][0-9a-z]{25}$/.test(headers.get('request-id') ?? '')) return `${code} has no Request-Id`;
  if (body['requestId'] !== headers.get('request-id')) return `${code} names another request`;
  if (headers.get('content-type') !== 'application/problem+json') return `${code} has another media type`;
  const errors = (body['errors'] ?? []) as { pointer?: unknown; code?: unknown; detail?: unknown }[];
  if (errors.length > 50) return `${code} has ${errors.length} faults`;
  if (errors.some((fault) => typeof fault.pointer !== 'string' || !fault.code || !fault.detail)) {
    return `${code} has a fault that says too little`;
  }
  // An execution has the stack of its author's code, and nothing below it.
  const { execution: _, ...own } = body;
  return inside.test(JSON.stringify(own)) ? `${code} tells of the inside of the server` : undefined;
}
