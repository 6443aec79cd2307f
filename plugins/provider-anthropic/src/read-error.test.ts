import { describe, expect, it } from 'vitest';
import { readError } from './read-error.ts';

describe('readError', () => {
  it.each([
    ['auth', 401, 'authentication_error', 'invalid x-api-key'],
    ['auth', 402, 'billing_error', 'x'],
    [undefined, 400, 'invalid_request_error', 'Your credit balance is too low to access the API.'],
    ['model_gone', 404, 'not_found_error', 'model: x'],
    ['rate_limited', 429, 'rate_limit_error', 'x'],
    ['failed', 529, 'overloaded_error', 'Overloaded'],
    ['context_length', 413, 'request_too_large', 'x'],
    ['context_length', 400, 'invalid_request_error', 'input length and `max_tokens` exceed context limit'],
    ['content_filter', 400, 'invalid_request_error', 'Output blocked by content filtering policy'],
    ['unsupported', 400, 'invalid_request_error', 'This model does not support assistant message prefill.'],
    ['unsupported', 400, 'invalid_request_error', 'messages: text content blocks must be non-empty'],
    [undefined, 400, 'invalid_request_error', 'messages: Field required'],
    [undefined, 418, 'novel_error', 'x'],
  ] as const)('finds %s in %s %s: %s', (kind, status, type, message) => {
    expect(readError({ type: 'error', error: { type, message } }, status).kind).toBe(kind);
  });
});
