import { type ErrorCode, errorCodes, PatchbayError } from '@patchbay/core';
import { describe, expect, it } from 'vitest';
import { problemReply } from './problem.ts';

const documentOf = (error: unknown) => JSON.parse(problemReply(error, 'request_1').body);

describe('problemReply', () => {
  it.each(Object.keys(errorCodes) as ErrorCode[])('creates a document for %s', (code) => {
    const { status, title, retryable } = errorCodes[code];
    expect(problemReply(new PatchbayError(code, 'this time'), 'request_1').status).toBe(status);
    expect(documentOf(new PatchbayError(code, 'this time'))).toEqual({
      type: `urn:patchbay:error:${code}`,
      title,
      status,
      detail: 'this time',
      instance: 'urn:patchbay:request:request_1',
      code,
      requestId: 'request_1',
      retryable,
    });
  });

  it('includes errors and extensions, which cannot replace standard members', () => {
    const errors = [{ pointer: '/code', code: 'syntax', detail: 'unexpected token', line: 1, column: 2 }];
    const extensions = { execution: { id: 'execution_1' }, status: 200, detail: 'forged' };
    const document = documentOf(new PatchbayError('code_invalid', 'no', { errors, extensions }));
    expect(document).toMatchObject({ status: 422, detail: 'no', errors, execution: { id: 'execution_1' } });
    expect(Object.keys(document)[0]).toBe('type');
  });

  it.each([
    new Error('SELECT secret FROM keys'),
    'a text',
    undefined,
    null,
    Object.assign(new PatchbayError('internal_error', 'secret'), { code: 'unheard_of' }),
    Object.assign(new PatchbayError('internal_error', 'secret'), { code: 'toString' }),
  ])('hides %s', (error) => {
    const { status, body } = problemReply(error, 'request_1');
    expect(status).toBe(500);
    expect(body).not.toContain('secret');
    expect(documentOf(error)).toMatchObject({ code: 'internal_error' });
  });

  it('rounds Retry-After up, and always sends it where the interface promises it', () => {
    const after = (code: ErrorCode, retryAfter?: number) =>
      problemReply(new PatchbayError(code, 'no', retryAfter === undefined ? {} : { retryAfter }), 'r').headers[
        'Retry-After'
      ];
    expect(after('overloaded', 2.1)).toBe('3');
    expect(after('overloaded', 0)).toBe('1');
    expect(after('shutting_down')).toBe('1');
    expect(after('rate_limited')).toBe('1');
    expect(after('quota_exceeded', 3600)).toBe('3600');
    expect(after('function_not_found')).toBeUndefined();
    expect(after('provider_not_configured')).toBeUndefined();
  });

  it.each([
    ['provider_not_configured', 'false'],
    ['quota_exceeded', 'false'],
    ['overloaded', 'true'],
  ] as const)('tells clients that do not read the document whether to retry after %s', (code, shouldRetry) => {
    expect(problemReply(new PatchbayError(code, 'no'), 'r').headers['X-Should-Retry']).toBe(shouldRetry);
  });

  it.each([
    ['rejected', false],
    ['failed', true],
  ] as const)('what a provider has %s can be retried: %s', (kind, retryable) => {
    const error = new PatchbayError('provider_error', 'no', { upstream: { kind } });
    expect(problemReply(error, 'r').headers['X-Should-Retry']).toBe(String(retryable));
    expect(documentOf(error)).toMatchObject({ status: 502, retryable });
  });
});
