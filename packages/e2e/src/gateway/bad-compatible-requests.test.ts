import { describe, expect, it } from 'vitest';
import { formatFault } from '../driver/format-fault.ts';
import type { Answer } from '../driver/server-process.ts';
import { useVendors } from './use-vendors.ts';

const { server, openai, anthropic, google } = await useVendors();

const messages = [{ role: 'user', content: 'Hi' }];
const nested = (depth: number): string => `${'['.repeat(depth)}${']'.repeat(depth)}`;

/** One request that is right, for the API of each vendor. */
const apis = [
  {
    api: 'chat completions',
    path: '/v1/chat/completions',
    list: 'messages',
    limit: 'max_tokens',
    valid: { messages },
    image: (url: string) => ({ type: 'image_url', image_url: { url } }),
    badTools: [{ type: 'function', function: { parameters: { type: 'object' } } }],
    tool: { type: 'function', function: { name: 'find', parameters: { type: 'object' } } },
    badChoice: { tool_choice: { type: 'function', function: { name: '' } } },
  },
  {
    api: 'messages',
    path: '/v1/messages',
    list: 'messages',
    limit: 'max_tokens',
    valid: { messages, max_tokens: 9 },
    image: (url: string) => ({ type: 'image', source: { type: 'url', url } }),
    badTools: [{ input_schema: { type: 'object' } }],
    tool: { name: 'find', input_schema: { type: 'object' } },
    badChoice: { messages: [{ role: 'robot' }] },
  },
  {
    api: 'responses',
    path: '/v1/responses',
    list: 'input',
    limit: 'max_output_tokens',
    valid: { input: messages },
    image: (url: string) => ({ type: 'input_image', image_url: url }),
    badTools: [{ type: 'function', parameters: { type: 'object' } }],
    tool: { type: 'function', name: 'find', parameters: { type: 'object' } },
    badChoice: { tool_choice: { type: 'function', name: '' } },
  },
] as const;

const models = ['openai/gpt-4.1', 'anthropic/claude-opus-4-6', 'google/gemini-3.1-flash-lite'];

/** The status of a request that no vendor has seen, and that was refused in the words of its API. */
async function refused(path: string, body: unknown): Promise<Answer> {
  const sent = () => [openai, anthropic, google].map(({ requests }) => requests.length);
  const before = sent();
  const headers = path.startsWith('/v1/messages') ? { 'anthropic-version': '2023-06-01' } : undefined;
  const answer = await server.ask('POST', path, body, headers);
  expect(sent()).toEqual(before);
  expect(formatFault(answer)).toBeUndefined();
  expect(answer.body['type']).toBe(headers ? 'error' : undefined);
  return answer;
}

describe.each(apis)('a bad request for $api', ({ path, list, limit, valid, image, badTools, tool, badChoice }) => {
  describe.each(models)('to %s', (model) => {
    const cases: readonly (readonly [string, object])[] = [
      ['messages that are no list', { [list]: 7 }],
      ['no messages', { [list]: [] }],
      ['a message that is a string', { [list]: ['Hi'] }],
      ['a role that is a number', { [list]: [{ role: 1, content: 'Hi' }] }],
      ['content that is a number', { [list]: [{ role: 'user', content: 1 }] }],
      ['a limit of tokens that is a string', { [limit]: '9' }],
      ['a limit of tokens beyond all integers', { [limit]: 1e300 }],
      ['a stream that is a string', { stream: 'true' }],
      ['a temperature that is a string', { temperature: 'hot' }],
      ['tools without names', { tools: badTools }],
      ['routing with an unknown member', { routing: { optimise: 'cost' } }],
      ...[
        'http://10.0.0.1/x.png',
        'http://localhost/x.png',
        'http://169.254.169.254/latest',
        'http://[::1]/x.png',
        'http://0x7f.1/x.png',
        'file:///etc/passwd',
      ].map((url) => [`an image at ${url}`, { [list]: [{ role: 'user', content: [image(url)] }] }] as const),
    ];
    it.each(cases)('%s is 400, and is sent to no vendor', async (_, members) => {
      expect((await refused(path, { model, ...valid, ...members })).status).toBe(400);
    });

    it.each([
      ['a lone surrogate', JSON.stringify({ model, ...valid, [list]: [{ role: 'user', content: '\ud800' }] })],
      ['a NUL', JSON.stringify({ model, ...valid, [list]: [{ role: 'user', content: '\u0000' }] })],
      ['nesting without end', `{"model":${JSON.stringify(model)},"${list}":${nested(5_000)}}`],
      ['a model that is named twice', `{"model":"other/model",${JSON.stringify({ model, ...valid }).slice(1)}`],
      ['a number beyond a double', `{"model":${JSON.stringify(model)},"${limit}":1e999,"${list}":[]}`],
    ])('%s is 400, and is sent to no vendor', async (_, text) => {
      expect((await refused(path, text)).status).toBe(400);
    });
  });

  it.each([
    ['nothing', ''],
    ['broken JSON', '{"model": "a",'],
    ['a list', '[]'],
    ['a text', '"Hi"'],
    ['no model', JSON.stringify(valid)],
    ['a model that is a number', JSON.stringify({ ...valid, model: 7 })],
    ['a choice that is none', JSON.stringify({ model: models[2], ...valid, ...badChoice })],
  ])('%s is 400', async (_, text) => {
    expect((await refused(path, text)).status).toBe(400);
  });

  it.each(['openai/gpt-0', 'nowhere/gpt-4.1', 'gpt-0', 'fn/nothing', 'fn/', '__proto__', '../../etc/passwd'])(
    'the model %s is 404',
    async (model) => {
      expect((await refused(path, { model, ...valid })).status).toBe(404);
    },
  );

  it('two tools of one name are 400', async () => {
    const { body } = await refused(path, { model: models[2], ...valid, tools: [tool, tool] });
    expect(JSON.stringify(body)).toContain('is the name of another function');
  });

  it('a body beyond the limit is 413', async () => {
    const content = 'x'.repeat(33 * 1_048_576);
    expect((await refused(path, { model: models[0], ...valid, [list]: [{ role: 'user', content }] })).status).toBe(413);
  });

  it('another key beside the first is 400', async () => {
    const { status, body } = await server.ask('POST', path, { model: models[0], ...valid }, { 'x-api-key': 'other' });
    expect([status, typeof body['error']]).toEqual([400, 'object']);
  });
});

describe('a bad request for embeddings', () => {
  it.each([
    ['no input', { input: undefined }],
    ['an empty input', { input: [] }],
    ['input that is a number', { input: 7 }],
    ['input of mixed kinds', { input: ['a', 7] }],
    ['dimensions below 1', { dimensions: 0 }],
  ])('%s is 400, and is sent to no vendor', async (_, members) => {
    for (const model of ['openai/text-embedding-3-small', 'google/gemini-embedding-2']) {
      expect((await refused('/v1/embeddings', { model, input: 'Hi', ...members })).status).toBe(400);
    }
  });

  // That of the vendor may be one that only its models have.
  it('an encoding that no model of another vendor has is 400', async () => {
    const body = { model: 'google/gemini-embedding-2', input: 'Hi', encoding_format: 'int8' };
    expect((await refused('/v1/embeddings', body)).status).toBe(400);
  });

  it('an unknown model is 404', async () => {
    expect((await refused('/v1/embeddings', { model: 'openai/embed-0', input: 'Hi' })).status).toBe(404);
  });
});

describe('a member that one API has alone', () => {
  it.each(models.slice(1))('is named once where %s cannot have it', async (model) => {
    const { status, headers } = await server.ask('POST', '/v1/chat/completions', { model, messages, user: 'ada' });
    expect(status).toBe(200);
    expect(headers.get('patchbay-warning')?.match(/\buser\b/g)).toEqual(['user']);
  });

  it('is sent as it came where the model has the same API', async () => {
    const body = { model: models[0], messages, user: 'ada', new_member: { a: 1 } };
    const { status, headers } = await server.ask('POST', '/v1/chat/completions', body);
    expect([status, headers.get('patchbay-warning')]).toEqual([200, null]);
    expect(JSON.parse(openai.requests.at(-1)?.body ?? '')).toEqual({ ...body, model: 'gpt-4.1' });
  });
});
