import { type ErrorCode, errorCodes } from '@patchbay/core';
import { PatchbayError } from '@patchbay/core/plugin';
import OpenAI from 'openai';
import { describe, expect, it } from 'vitest';
import { mapError as mapResponsesError } from '../openai-responses/map-error.ts';
import { requestError } from '../request/request-error.ts';
import { mapError } from './map-error.ts';

/** The error that the SDK throws for a reply. */
async function thrownBy(error: unknown): Promise<unknown> {
  const { status, body } = mapError(error);
  const client = new OpenAI({
    apiKey: 'key',
    maxRetries: 0,
    fetch: async () => Response.json(body, { status }),
  });
  return await client.models.list().catch((thrown: unknown) => thrown);
}

describe('mapError', () => {
  it('says that the conversation is too long in the words of OpenAI', () => {
    const { status, body } = mapError(new PatchbayError('context_length_exceeded', 'it has 9 tokens'));
    const message = "This model's maximum context length is exceeded: it has 9 tokens";
    expect(status).toBe(400);
    expect(body).toMatchObject({ error: { message, param: 'messages', code: 'context_length_exceeded' } });
  });

  it('names the member as OpenAI does', () => {
    const error = requestError('/messages/2/content/0/image_url', 'invalid_type', 'must be an object');
    expect(mapError(error)).toEqual({
      status: 400,
      body: {
        error: {
          message: 'messages[2].content[0].image_url must be an object',
          type: 'invalid_request_error',
          param: 'messages[2].content[0].image_url',
          code: 'invalid_type',
        },
      },
    });
  });

  it.each([
    ['/tools/0/parameters/type', 'schema_invalid', 'tools[0].function.parameters.type', 'invalid_function_parameters'],
    ['/responseSchema/type', 'schema_invalid', 'response_format.json_schema.schema.type', 'invalid_json_schema'],
    ['/maxTokens', 'unsupported_parameter', 'max_tokens', 'unsupported_parameter'],
    ['/reasoningEffort', 'unsupported_parameter', 'reasoning_effort', 'unsupported_parameter'],
    ['/constructor', 'invalid_request', 'constructor', 'missing_required_parameter'],
    ['/messages/0/role', 'invalid_request', 'messages[0].role', 'missing_required_parameter'],
    ['?limit', 'invalid_request', 'limit', 'missing_required_parameter'],
    ['', 'invalid_request', null, 'missing_required_parameter'],
  ] as const)('translates the place %s of %s', (pointer, code, param, expected) => {
    const error = new PatchbayError(code, 'not accepted', {
      errors: [{ pointer, code: 'required', detail: 'is wrong' }],
    });
    expect(mapError(error).body).toMatchObject({ error: { param, code: expected } });
    const message = param === null ? 'not accepted' : `not accepted: ${param} is wrong`;
    expect(mapError(error).body).toMatchObject({ error: { message } });
  });

  it.each([
    ['/maxTokens', 'max_output_tokens'],
    ['/reasoningEffort', 'reasoning.effort'],
    ['/messages/0/content', 'input'],
    ['', null],
  ])('translates the place %s for responses', (pointer, param) => {
    const error = new PatchbayError('unsupported_parameter', 'no', {
      errors: [{ pointer, code: 'unsupported_parameter', detail: 'is wrong' }],
    });
    expect(mapResponsesError(error).body).toMatchObject({ error: { param } });
  });

  it.each<[ErrorCode, number, string, string, new (...given: never[]) => Error]>([
    ['invalid_json', 400, 'invalid_request_error', 'invalid_json', OpenAI.BadRequestError],
    ['invalid_token', 401, 'invalid_request_error', 'invalid_api_key', OpenAI.AuthenticationError],
    ['insufficient_scope', 403, 'invalid_request_error', 'insufficient_scope', OpenAI.PermissionDeniedError],
    ['model_not_found', 404, 'invalid_request_error', 'model_not_found', OpenAI.NotFoundError],
    ['function_not_found', 404, 'invalid_request_error', 'model_not_found', OpenAI.NotFoundError],
    ['context_length_exceeded', 400, 'invalid_request_error', 'context_length_exceeded', OpenAI.BadRequestError],
    ['unsupported_parameter', 400, 'invalid_request_error', 'unsupported_parameter', OpenAI.BadRequestError],
    ['rate_limited', 429, 'requests', 'rate_limit_exceeded', OpenAI.RateLimitError],
    ['provider_rate_limited', 429, 'requests', 'rate_limit_exceeded', OpenAI.RateLimitError],
    ['provider_not_configured', 500, 'server_error', 'provider_not_configured', OpenAI.InternalServerError],
    ['quota_exceeded', 429, 'insufficient_quota', 'insufficient_quota', OpenAI.RateLimitError],
    ['internal_error', 500, 'server_error', 'internal_error', OpenAI.InternalServerError],
    ['provider_auth_failed', 502, 'server_error', 'provider_auth_failed', OpenAI.InternalServerError],
    ['overloaded', 503, 'server_error', 'overloaded', OpenAI.InternalServerError],
  ])('makes %s the error that the SDK throws for %i', async (code, status, type, expected, thrown) => {
    const error = await thrownBy(new PatchbayError(code, 'a sentence'));
    expect(error).toBeInstanceOf(thrown);
    expect(error).toMatchObject({ status, type, code: expected });
    expect(String(error)).toContain('a sentence');
  });

  it('has the members of every code', () => {
    for (const code of Object.keys(errorCodes) as ErrorCode[]) {
      const { status, body } = mapError(new PatchbayError(code, 'a sentence'));
      const { error } = body as unknown as { error: OpenAI.ErrorObject };
      expect(Object.keys(error), code).toEqual(['message', 'type', 'param', 'code']);
      expect([null, 'model', 'messages'], code).toContain(error.param);
      expect(status, code).toBeGreaterThanOrEqual(400);
    }
  });

  it('shows no details of other errors', () => {
    expect(JSON.stringify(mapError(new Error('password 123')))).not.toContain('123');
  });
});
