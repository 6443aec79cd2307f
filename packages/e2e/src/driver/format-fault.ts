import { inside, problemFault } from './problem-fault.ts';
import type { Answer } from './server-process.ts';

/** The types of errors of both vendors, each with its statuses. */
const openai: Readonly<Record<string, readonly number[]>> = {
  invalid_request_error: [400, 401, 403, 404, 405, 408, 409, 413, 414, 415, 431],
  requests: [429],
  insufficient_quota: [429],
  // Those of Open Responses.
  invalid_request: [400, 401, 403, 405, 408, 409, 413, 414, 415, 431],
  not_found: [404],
  too_many_requests: [429],
};
const anthropic: Readonly<Record<string, readonly number[]>> = {
  invalid_request_error: [400, 405, 414, 415, 431],
  authentication_error: [401],
  billing_error: [402],
  permission_error: [403],
  not_found_error: [404],
  timeout_error: [408],
  conflict_error: [409],
  request_too_large: [413],
  rate_limit_error: [429],
};

/** Why a refusal of a request for an API is not in the words of that API; undefined if it is. */
export function formatFault(answer: Answer): string | undefined {
  const { status, headers, body } = answer;
  if (body['code'] !== undefined) return problemFault(answer);
  const error = body['error'] as Readonly<Record<string, unknown>> | undefined;
  const type = String(error?.['type']);
  if (body['jsonrpc'] !== undefined) return messageFault(answer);
  const isAnthropic = body['type'] === 'error';
  const statuses = (isAnthropic ? anthropic : openai)[type] ?? [];
  if (!statuses.includes(status)) return `${type} came with the status ${status}`;
  if (typeof error?.['message'] !== 'string' || error['message'] === '') return `${type} says nothing`;
  if (headers.get('content-type') !== 'application/json') return `${type} has another media type`;
  if (isAnthropic) {
    if (body['request_id'] !== headers.get('request-id')) return `${type} names another request`;
  } else if (typeof error['code'] !== 'string' || !['string', 'object'].includes(typeof error['param'])) {
    return `${type} has no code or param`;
  }
  return inside.test(JSON.stringify(body)) ? `${type} tells of the inside of the server` : undefined;
}

/** The same of the endpoint of agents, whose errors are those of JSON-RPC. */
function messageFault({ headers, body }: Answer): string | undefined {
  const { code, message } = body['error'] as Readonly<Record<string, unknown>>;
  if (typeof code !== 'number' || !Number.isInteger(code)) return 'a message has no code of JSON-RPC';
  if (typeof message !== 'string' || message === '') return `${code} says nothing`;
  if (headers.get('content-type') !== 'application/json') return `${code} has another media type`;
  return inside.test(JSON.stringify(body)) ? `${code} tells of the inside of the server` : undefined;
}
