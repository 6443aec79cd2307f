import { PatchbayError } from '@patchbay/core';
import type { RequestContext } from '@patchbay/core/plugin';
import type { IncomingRequest } from '../incoming-request.ts';
import { refuseTokenInQuery } from './credentials.ts';

const MAX_TARGET_LENGTH = 8_192;

/** The two parts of a request target. */
export interface Target {
  readonly path: string;
  /** Without the question mark. */
  readonly query: string;
}

/** @throws PatchbayError `invalid_request`, `uri_too_long`: what no request to any endpoint may have. */
export function checkHead(request: IncomingRequest): Target {
  const { target, headFault } = request;
  if (headFault !== undefined) throw new PatchbayError('invalid_request', headFault);
  if (target.length > MAX_TARGET_LENGTH) {
    throw new PatchbayError('uri_too_long', `at most ${MAX_TARGET_LENGTH} characters are accepted`);
  }
  // A proxy and we could take an absolute target for different hosts.
  if (!target.startsWith('/')) throw new PatchbayError('invalid_request', 'the request target must be a path');
  // Cut off by some and taken for part of the path by others.
  if (target.includes('#')) throw new PatchbayError('invalid_request', 'the request target must not have a fragment');
  const question = target.indexOf('?');
  if (question < 0) return { path: target, query: '' };
  const query = target.slice(question + 1);
  refuseTokenInQuery(query);
  return { path: target.slice(0, question), query };
}

const traceparent = /^[0-9a-f]{2}-[0-9a-f]{32}-[0-9a-f]{16}-[0-9a-f]{2}$/;

/** The caller's W3C Trace Context. What is malformed is left out, as the standard asks for. */
export function readTrace(request: IncomingRequest): RequestContext['trace'] {
  const parent = request.header('traceparent');
  if (parent === undefined || !traceparent.test(parent)) return undefined;
  const state = request.header('tracestate');
  if (state === undefined || state.length > 512) return { traceparent: parent };
  return { traceparent: parent, tracestate: state };
}
