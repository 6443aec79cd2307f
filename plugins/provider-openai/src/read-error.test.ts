import { describe, expect, it } from 'vitest';
import { readError } from './read-error.ts';

describe('readError', () => {
  it.each([
    ['context_length', 400, { error: { code: 'context_length_exceeded', message: 'x' } }],
    ['context_length', 400, { error: { message: "This model's maximum context length is 8192 tokens." } }],
    ['context_length', 400, { object: 'error', message: 'The prompt is too long: 9000 tokens', code: 400 }],
    ['content_filter', 400, { error: { code: 'content_filter', message: 'x' } }],
    ['content_filter', 400, { error: { message: "The response was filtered by Azure's content management policy." } }],
    ['unsupported', 400, { error: { code: 'unsupported_value', param: 'temperature', message: 'x' } }],
    ['unsupported', 400, { error: { message: 'llama3 does not support tools' } }],
    ['unsupported', 400, { error: 'registry/llama3 does not support tools' }],
    ['model_gone', 404, { error: { code: 'model_not_found', message: 'x' } }],
    ['auth', 429, { error: { code: 'insufficient_quota', type: 'insufficient_quota', message: 'x' } }],
    ['model_gone', 404, { error: { message: 'x', type: 'NotFoundError', code: 404 } }],
    ['rejected', 404, { error: { message: 'No endpoints found that support tool use.', code: 404 } }],
    ['content_filter', 403, { error: { message: 'x', code: 403, metadata: { reasons: ['violence'] } } }],
    ['rejected', undefined, { error: { message: 'x', type: 'invalid_request_error' } }],
    ['rejected', undefined, { error: { message: 'x', type: 'BadRequestError', code: 400 } }],
    ['rejected', undefined, { error: { message: 'x', code: 'image_parse_error' } }],
    ['rate_limited', undefined, { error: { message: 'x', code: 429 } }],
    [undefined, 404, {}],
    [undefined, 400, { error: { message: 'Missing required parameter.' } }],
    [undefined, 500, { error: { message: 'The content filter is down.' } }],
    [undefined, 401, {}],
    [undefined, undefined, { error: { message: 'Oops', type: 'server_error' } }],
  ] as const)('finds %s in %s %j', (kind, status, document) => {
    expect(readError(document, status).kind).toBe(kind);
  });
});
