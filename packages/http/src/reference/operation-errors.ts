import { type ErrorCode, errorCodes } from '@patchbay/core';
import type { Operation } from '../operation.ts';
import { isProtected } from '../routing/route.ts';

const everywhere = ['invalid_request', 'uri_too_long', 'internal_error'] as const;

const withCredentials = [
  'unauthenticated',
  'invalid_token',
  'token_expired',
  'key_revoked',
  'insufficient_scope',
  'address_not_allowed',
  'rate_limited',
  'storage_unavailable',
  'authentication_unavailable',
  'shutting_down',
] as const;

const withKey = ['idempotency_in_progress', 'idempotency_key_reused', 'idempotency_answer_lost'] as const;

const withBody = [
  'invalid_json',
  'too_deep',
  'unsupported_unicode',
  'unsupported_media_type',
  'body_too_large',
  'request_timeout',
] as const;

/** The codes that an operation can answer with, by status, in ascending order. */
export function errorsByStatus(operation: Operation): ReadonlyMap<number, readonly ErrorCode[]> {
  const codes = new Set<ErrorCode>(everywhere);
  if (isProtected(operation)) {
    for (const code of withCredentials) codes.add(code);
    if (operation.method !== 'GET') codes.add('cross_site_request');
    if (operation.method === 'POST') for (const code of withKey) codes.add(code);
    if (operation.limit) codes.add('concurrency_limited');
    if (operation.body) for (const code of withBody) codes.add(code);
    for (const code of operation.errors) codes.add(code);
  }
  const byStatus = Map.groupBy(codes, (code) => errorCodes[code].status);
  return new Map([...byStatus].toSorted(([left], [right]) => left - right));
}
