import { afterEach, describe, expect, it } from 'vitest';
import { scriptedProvider } from './fixtures/scripted-provider.ts';
import { createTestApp, sample } from './fixtures/test-app.ts';
import { type Answer, type Client, transportsOfServices } from './fixtures/transports.ts';

const output = '{"text":"hello","maxPoints":5}';
const messages = [{ role: 'user', content: 'hello' }];

/** The chat endpoints, each with what differs in it. */
const endpoints = [
  {
    path: '/chat',
    contentOf: ({ json }: Answer) => json.message.content,
    said: { messages, maxTokens: 50 },
    ignored: 'maxTokens',
    tools: [{ name: 'f', parameters: { type: 'object' } }],
    faultOf: ({ json }: Answer) => [json.code, json.errors?.[0]?.pointer],
    faults: {
      messages: ['invalid_request', '/messages'],
      tools: ['invalid_request', '/tools'],
      model: ['model_not_found', undefined],
    },
    end: 'event: done\n',
  },
  {
    path: '/v1/chat/completions',
    contentOf: ({ json }: Answer) => json.choices[0].message.content,
    said: { messages, max_tokens: 50 },
    ignored: 'maxTokens',
    tools: [{ type: 'function', function: { name: 'f', parameters: { type: 'object' } } }],
    faultOf: ({ json }: Answer) => [json.error.code, json.error.param],
    faults: {
      messages: ['invalid_type', 'messages'],
      tools: ['unsupported_parameter', 'tools'],
      model: ['model_not_found', 'model'],
    },
    end: 'data: [DONE]\n',
  },
  {
    path: '/v1/messages',
    contentOf: ({ json }: Answer) => json.content[0].text,
    said: { messages, max_tokens: 50 },
    ignored: 'maxTokens',
    tools: [{ name: 'f', input_schema: { type: 'object' } }],
    faultOf: ({ json }: Answer) => [json.error.type, json.error.message],
    faults: {
      messages: ['invalid_request_error', expect.stringContaining('messages')],
      tools: ['invalid_request_error', expect.stringContaining('tools')],
      model: ['not_found_error', expect.stringContaining('there is no function "none"')],
    },
    end: 'event: message_stop\n',
  },
  {
    path: '/v1/responses',
    contentOf: ({ json }: Answer) => json.output[0].content[0].text,
    said: { input: 'hello', max_output_tokens: 50 },
    ignored: 'maxTokens',
    tools: [{ type: 'function', name: 'f', parameters: { type: 'object' } }],
    faultOf: ({ json }: Answer) => [json.error.code, json.error.param],
    faults: {
      messages: ['invalid_type', 'input'],
      tools: ['unsupported_parameter', 'tools'],
      model: ['model_not_found', 'model'],
    },
    end: 'data: [DONE]\n',
  },
] as const;

describe.each(transportsOfServices)('functions as models over %s', (_name, open) => {
  const stops: (() => Promise<void>)[] = [];
  afterEach(async () => {
    for (const stop of stops.splice(0)) await stop();
  });

  const start = async (config: Parameters<typeof createTestApp>[0] = {}) => {
    const test = await createTestApp({ providers: { test: { use: scriptedProvider } }, ...config });
    const client: Client = await open(test.app);
    stops.push(async () => {
      await client.close();
      await test.app.host.stop(0);
    });
    const create = async (fields: object = {}) =>
      (await client.send('POST', '/functions', { body: { ...sample, ...fields } })).json;
    return { ...test, client, create };
  };

  it.each(endpoints)('respond at $path with their output', async ({ path, contentOf, said, ignored }) => {
    const { client, create } = await start();
    const { id } = await create();
    const answer = await client.send('POST', path, { body: { model: 'fn/summarizeText', ...said } });
    const { status, json, headers } = answer;
    expect([status, contentOf(answer), json.model]).toEqual([200, output, 'fn/summarizeText']);
    expect(headers.get('patchbay-route')).toBe('function');
    const warning = `fn/summarizeText is a function and ignores ${ignored}`;
    expect(json.warnings?.join() ?? headers.get('patchbay-warning')).toContain(warning);
    const executions = await client.send('GET', `/functions/${id}/executions`);
    expect(executions.json.data).toMatchObject([{ status: 'completed', functionId: id }]);
  });

  it.each([
    ['/chat', { messages, responseSchema: { type: 'object' } }, 'responseSchema'],
    ['/v1/chat/completions', { messages, response_format: { type: 'json_object' } }, 'responseJson'],
    ['/v1/responses', { input: 'hello', text: { format: { type: 'json_object' } } }, 'responseJson'],
  ])('warn at %s that the response format of %j has no effect', async (path, said, ignored) => {
    const { client, create } = await start();
    await create();
    const { json, headers } = await client.send('POST', path, { body: { model: 'fn/summarizeText', ...said } });
    const warning = `fn/summarizeText is a function and ignores ${ignored}`;
    expect(json.warnings?.join() ?? headers.get('patchbay-warning')).toContain(warning);
  });

  it.each(endpoints)('stream at $path', async ({ path, said, end }) => {
    const { client, create } = await start();
    await create();
    const body = { model: 'fn/summarizeText', ...said, stream: true };
    const { status, text, headers } = await client.send('POST', path, { body });
    expect([status, headers.get('content-type')]).toEqual([200, 'text/event-stream']);
    expect(text).toContain(JSON.stringify(output).slice(1, -1));
    expect(text).toContain(end);
    // The native stream has its warnings at the end.
    expect(`${text} ${headers.get('patchbay-warning')}`).toContain('fn/summarizeText is a function and ignores');
  });

  it.each(endpoints)('refuse at $path, in its own format, what they do not accept', async (endpoint) => {
    const { path, said, tools, faultOf, faults } = endpoint;
    const { client, create } = await start({ functions: { dynamicCalls: 'allow' } });
    await create({ input: { type: 'object', properties: { count: { type: 'integer' } }, required: ['count'] } });
    const ask = (more: object) => client.send('POST', path, { body: { model: 'fn/summarizeText', ...said, ...more } });
    const [unfit, refused, unknown] = [await ask({}), await ask({ tools }), await ask({ model: 'fn/none' })];
    expect([unfit.status, faultOf(unfit)]).toEqual([400, faults.messages]);
    expect([refused.status, faultOf(refused)]).toEqual([400, faults.tools]);
    expect([unknown.status, faultOf(unknown)]).toEqual([404, faults.model]);
  });

  it.each(endpoints)(
    'count at $path as executions, and take no slot of the models that they need',
    async (endpoint) => {
      const { path, said, contentOf } = endpoint;
      const few = { requests: 2, seconds: 60, burst: 2 };
      const { client, create } = await start({
        limits: { key: { execute: few, concurrent: { model: 1, execute: 1 } } },
      });
      const city = { type: 'object', properties: { city: { type: 'string' } }, required: ['city'] };
      await create({ code: '', settings: { model: 'test/large', prompt: '{{input.text}}' }, output: city });
      const ask = () => client.send('POST', path, { body: { model: 'fn/summarizeText', ...said } });
      for (const _ of [1, 2]) {
        const answer = await ask();
        expect(contentOf(answer)).toBe('{"city":"hello"}');
        expect(answer.headers.get('ratelimit-policy')).toContain('"key-execute";q=2;w=60');
      }
      const { status, headers } = await ask();
      expect([status, headers.get('retry-after')]).toEqual([429, expect.any(String)]);
      const model = await client.send('POST', path, { body: { model: 'test/large', ...said } });
      expect(model.status).toBe(200);
    },
  );

  it('are not listed with the models, which are, with the automatic choice and the aliases', async () => {
    const gateway = { aliases: { fast: { model: 'test/large' }, best: { model: 'auto:quality' } } };
    const { client, create } = await start({ gateway, tenants: { other: { providers: { deny: ['test'] } } } });
    await create();
    const ids = async (as: 'admin' | 'stranger') =>
      (await client.send('GET', '/v1/models', { as })).json.data.map(({ id }: { id: string }) => id);
    const named = ['fast', 'anthropic/fast', 'best', 'anthropic/best'];
    expect(await ids('admin')).toEqual(['test/large', 'test/org/small', 'test/embed', 'auto', ...named]);
    expect(await ids('stranger')).toEqual([]);
    for (const id of ['fast', 'anthropic/fast', 'auto', 'auto:cost', 'org/small', 'test/org/small']) {
      expect((await client.send('GET', `/v1/models/${id}`)).json).toMatchObject({ id, object: 'model' });
    }
    expect((await client.send('GET', '/v1/models/fn/summarizeText')).status).toBe(404);
    expect((await client.send('GET', '/v1/models/fast', { as: 'stranger' })).status).toBe(404);
  });
});

describe('the routing of a request', () => {
  it.each(['/v1/chat/completions', '/v1/messages', '/v1/responses', '/v1/embeddings'])(
    'has precise faults at %s',
    async (path) => {
      const { app } = await createTestApp({ providers: { test: { use: scriptedProvider } } });
      const client = await (transportsOfServices[0] as (typeof transportsOfServices)[number])[1](app);
      const body = path.endsWith('embeddings')
        ? { model: 'test/embed', input: 'hello' }
        : { model: 'test/large', messages, input: messages, max_tokens: 50 };
      const ask = async (routing: unknown) => {
        const { status, json } = await client.send('POST', path, { body: { ...body, routing } });
        const { param, message } = json.error ?? {};
        // Anthropic writes positions in lists as `fallbacks.1`.
        const place = param ?? /routing[\w.]*/.exec(message)?.[0].replaceAll(/\.(\d+)/g, '[$1]');
        return [status, place];
      };
      expect(await ask('fast')).toEqual([400, 'routing']);
      expect(await ask({ optimise: 'cost' })).toEqual([400, 'routing.optimise']);
      expect(await ask({ optimize: 'cheap' })).toEqual([400, 'routing.optimize']);
      expect(await ask({ fallbacks: 'test/large' })).toEqual([400, 'routing.fallbacks']);
      expect(await ask({ fallbacks: ['test/large', 1] })).toEqual([400, 'routing.fallbacks[1]']);
      expect(await ask({ fallbacks: Array(4).fill('test/large') })).toEqual([400, 'routing.fallbacks']);
      expect(await ask({ maxPrice: -1 })).toEqual([400, 'routing.maxPrice']);
      expect(await ask({ capabilities: ['smell'] })).toEqual([400, 'routing.capabilities[0]']);
      expect(await ask({ providers: { allow: [''] } })).toEqual([400, 'routing.providers.allow[0]']);
      expect(await ask({ providers: { only: [] } })).toEqual([400, 'routing.providers.only']);
      expect(await ask({})).toEqual([200, undefined]);
      await client.close();
      await app.host.stop(0);
    },
  );
});
