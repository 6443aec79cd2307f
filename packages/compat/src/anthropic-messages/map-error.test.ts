import Anthropic from '@anthropic-ai/sdk';
import { PatchbayError } from '@patchbay/core/plugin';
import { describe, expect, it } from 'vitest';
import { mapError } from './map-error.ts';
import { parseMessagesRequest } from './parse-request.ts';

describe('mapError', () => {
  it.each([
    ['invalid_json', 400, 'invalid_request_error'],
    ['unsupported_parameter', 400, 'invalid_request_error'],
    ['schema_invalid', 400, 'invalid_request_error'],
    ['invalid_token', 401, 'authentication_error'],
    ['quota_exceeded', 402, 'billing_error'],
    ['insufficient_scope', 403, 'permission_error'],
    ['model_not_found', 404, 'not_found_error'],
    ['body_too_large', 413, 'request_too_large'],
    ['rate_limited', 429, 'rate_limit_error'],
    ['provider_rate_limited', 429, 'rate_limit_error'],
    ['provider_not_configured', 500, 'api_error'],
    ['internal_error', 500, 'api_error'],
    ['provider_error', 502, 'api_error'],
    ['provider_auth_failed', 502, 'api_error'],
    ['provider_timeout', 504, 'timeout_error'],
    ['overloaded', 529, 'overloaded_error'],
    ['no_provider_available', 529, 'overloaded_error'],
  ] as const)('%s is %i %s', (code, status, type) => {
    const reply = mapError(new PatchbayError(code, 'because'), 'request_1');
    expect(reply).toMatchObject({ status, body: { type: 'error', error: { type }, request_id: 'request_1' } });
  });

  it('shows no details of an unknown error', () => {
    const { status, body } = mapError(new Error('secret'), 'request_1');
    expect(status).toBe(500);
    expect(body.error.message).not.toContain('secret');
  });

  it('names the place in a schema of a tool', () => {
    const errors = [{ pointer: '/tools/1/parameters/properties/a', code: 'x', detail: 'is too large' }];
    const { body } = mapError(new PatchbayError('schema_invalid', 'not accepted', { errors }), 'r');
    expect(body.error.message).toBe('not accepted: tools.1.input_schema.properties.a: is too large');
  });

  it('says that the prompt is too long in the words of Anthropic', () => {
    const { body } = mapError(new PatchbayError('context_length_exceeded', 'it has 9 tokens'), 'r');
    expect(body.error.message).toBe('prompt is too long: it has 9 tokens');
  });

  it('makes the SDK go on without a thread, with all messages', async () => {
    const sent: { readonly thread?: unknown; readonly messages: readonly unknown[] }[] = [];
    const client = new Anthropic({
      apiKey: 'key',
      fetch: async (_, init) => {
        const body = JSON.parse(init?.body as string);
        sent.push(body);
        try {
          parseMessagesRequest(body);
        } catch (error) {
          const reply = mapError(error, 'r');
          return Response.json(reply.body, { status: reply.status });
        }
        const content = [{ type: 'text', text: 'Hello' }];
        return Response.json({ id: 'msg_1', type: 'message', role: 'assistant', content, usage: {} });
      },
    });
    const thread = client.beta.messages.thread({
      model: 'openai/gpt-5',
      max_tokens: 10,
      unsupportedRequestBehavior: 'continue_unthreaded',
    });
    await thread.send({ role: 'user', content: 'Hello' });
    await thread.send({ role: 'user', content: 'And now?' });
    expect(sent.map(({ thread: member, messages }) => [member, messages.length])).toEqual([
      [{ type: 'create' }, 1],
      [undefined, 1],
      [undefined, 3],
    ]);
  });

  it.each([
    ['/maxTokens', 'no: max_tokens: is wrong'],
    ['/stop', 'no: stop_sequences: is wrong'],
    ['/reasoningEffort', 'no: output_config.effort: is wrong'],
  ])('names the member at %s as Anthropic does', (pointer, message) => {
    const error = new PatchbayError('unsupported_parameter', 'no', {
      errors: [{ pointer, code: 'unsupported_parameter', detail: 'is wrong' }],
    });
    expect(mapError(error, 'request_1').body.error.message).toBe(message);
  });

  it.each([
    ['invalid_request', Anthropic.BadRequestError],
    ['invalid_token', Anthropic.AuthenticationError],
    ['model_not_found', Anthropic.NotFoundError],
    ['rate_limited', Anthropic.RateLimitError],
    ['provider_error', Anthropic.InternalServerError],
  ] as const)('%s is the error class of the SDK', async (code, wanted) => {
    const { status, body } = mapError(new PatchbayError(code, 'because'), 'request_1');
    const fetch = async () => Response.json(body, { status });
    const client = new Anthropic({
      apiKey: 'dummy',
      baseURL: 'http://127.0.0.1:1',
      maxRetries: 0,
      logLevel: 'off',
      fetch,
    });
    const asked = client.messages.create({ model: 'auto', max_tokens: 1, messages: [{ role: 'user', content: 'Hi' }] });
    await expect(asked).rejects.toThrow(wanted);
  });
});
