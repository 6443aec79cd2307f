import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { json, output, type ScriptedServer, startServer } from './fixtures/start-server.ts';
import { AI, createClient, ShapeError } from './index.ts';

let server: ScriptedServer;
beforeAll(async () => {
  server = await startServer();
});
afterAll(() => server.stop());

const client = (more = {}) => createClient({ baseUrl: `${server.url}/`, apiKey: 'key', ...more });

const known = 'model,schema,cache,metadata,signal,timeout,maxRetries,idempotencyKey,headers';

describe('a call', () => {
  it('sends one request with its input, options and headers', async () => {
    server.script(output({ text: 'short' }));
    const { ai } = client({ headers: { 'x-team': 'a' } });
    const result = await ai['Summarize Text']({ text: 'long' }, { model: 'openai/gpt-4', headers: { 'x-call': 'b' } });
    expect(result).toEqual({ text: 'short' });
    expect(server.requests).toMatchObject([
      {
        method: 'POST',
        path: '/call/Summarize%20Text',
        headers: {
          authorization: 'Bearer key',
          'content-type': 'application/json',
          'idempotency-key': expect.stringMatching(/^[\da-f-]{36}$/),
          'x-team': 'a',
          'x-call': 'b',
        },
        body: { input: { text: 'long' }, model: 'openai/gpt-4' },
      },
    ]);
    expect(Object.keys(server.requests[0]?.body as object)).toEqual(['input', 'model']);
  });

  it('is scored by its id, even as a stream', async () => {
    const { ai } = client();
    for (const ask of [() => ai['count']({}), () => ai['count'].stream({})]) {
      server.script(output({ n: 1 }), json({ id: 'feedback_1', value: 0.5 }, 201));
      expect(await ask().score(0.5, { metric: 'exact', comment: 'off by one' })).toMatchObject({ id: 'feedback_1' });
      const body = { target: 'call_1', value: 0.5, metric: 'exact', comment: 'off by one' };
      expect(server.requests.at(-1)).toMatchObject({ method: 'POST', path: '/feedback', body });
    }
  });

  it('starts at once, and is sent once, however often it is awaited', async () => {
    server.script(output({ n: 1 }, { model: 'a/b', promptTokens: 1, completionTokens: 2, totalTokens: 3 }));
    const call = client().ai['count']({});
    await server.next();
    const [data, again, withMeta, response] = await Promise.all([call, call, call.withMeta(), call.asResponse()]);
    expect([data, again]).toEqual([{ n: 1 }, { n: 1 }]);
    expect(withMeta).toEqual({
      data: { n: 1 },
      meta: {
        id: 'call_1',
        name: 'count',
        source: 'generated',
        model: 'a/b',
        promptTokens: 1,
        completionTokens: 2,
        totalTokens: 3,
        warnings: [],
        requestId: 'request_1',
        retries: 0,
      },
    });
    expect([response.status, await response.json()]).toMatchObject([200, { output: { n: 1 } }]);
    expect(server.requests.length).toBe(1);
  });

  it('sends the declared output, or that of the call', async () => {
    server.script(output({ tone: 'bold' }));
    const ai = client().AI({ headline: { tone: 'bold | calm' } });
    const schemaOf = async (call: Promise<unknown>) => {
      await call;
      const body = server.requests.at(-1)?.body as { output?: { properties: object } } | undefined;
      return body?.output?.properties;
    };
    expect(await schemaOf(ai.headline())).toEqual({ tone: { type: 'string', enum: ['bold', 'calm'] } });
    expect(await schemaOf(ai.headline({}, { schema: { n: Number } }))).toEqual({ n: { type: 'number' } });
    expect(await schemaOf(ai['other']({}, { schema: { n: Number } }))).toEqual({ n: { type: 'number' } });
    expect(await schemaOf(ai['other']())).toBeUndefined();
  });

  it('reaches reserved names through $call', async () => {
    server.script(output({}));
    const { ai } = client();
    for (const name of ['then', 'toJSON', '$with', 'constructor', 'a/b?c', '...']) await ai.$call(name);
    expect(server.requests.map(({ path }) => path)).toEqual(
      ['then', 'toJSON', '%24with', 'constructor', 'a%2Fb%3Fc', '...'].map((name) => `/call/${name}`),
    );
  });

  it('inherits defaults from nested $with clients', async () => {
    server.script(output({}));
    const ai = client().AI({ one: { a: 'text' } });
    const derived = ai.$with({ model: 'a/b', headers: { 'x-a': '1', 'x-b': '1' } }).$with({ headers: { 'x-b': '2' } });
    await derived.one({}, { headers: { 'x-c': '3' } });
    await derived['two']({}, { model: 'c/d' });
    expect(server.requests).toMatchObject([
      { headers: { 'x-a': '1', 'x-b': '2', 'x-c': '3' }, body: { model: 'a/b', output: { type: 'object' } } },
      { headers: { 'x-a': '1', 'x-b': '2' }, body: { model: 'c/d' } },
    ]);
    expect(Object.keys(derived)).toEqual(['one']);
  });

  it('resolves the API key each time, and reads it from the environment by default', async () => {
    server.script(output({}));
    let asked = 0;
    const apiKey = async () => {
      asked += 1;
      return `key-${asked}`;
    };
    const { ai } = createClient({ baseUrl: server.url, apiKey });
    await ai['a']();
    await ai['a']();
    vi.stubEnv('PATCHBAY_URL', server.url);
    vi.stubEnv('PATCHBAY_API_KEY', 'of-the-environment');
    await AI({})['b']();
    vi.unstubAllEnvs();
    const keys = server.requests.map(({ headers: { authorization } }) => authorization);
    expect(keys).toEqual(['Bearer key-1', 'Bearer key-2', 'Bearer of-the-environment']);
  });

  it('overrides default headers in any case', async () => {
    server.script(output({}));
    await client({ headers: { Authorization: 'Basic x' } }).ai['a'](
      {},
      { headers: { 'Content-Type': 'application/json; a=b' } },
    );
    expect(server.requests[0]?.headers).toMatchObject({
      authorization: 'Basic x',
      'content-type': 'application/json; a=b',
    });
  });

  it('of one name is always the same function, as long as the name is kept', () => {
    const { ai } = client();
    expect(ai['a']).toBe(ai['a']);
    for (let index = 0; index < 2_000; index += 1) expect(ai[`name-${index}`]).toBeTypeOf('function');
    expect(ai['a']).toBe(ai['a']);
    expect(ai['name-1999'].name).toBe('name-1999');
  });
});

describe('nothing is sent', () => {
  it.each([
    ['an array', []],
    ['null', null],
    ['a string', 'text'],
    ['a number', 5],
    ['a date', new Date()],
    ['a map', new Map()],
    ['a function', () => {}],
    ['a promise', Promise.resolve({})],
  ])('for %s as the input', (_name, input) => {
    server.script(output({}));
    expect(() => client().ai['f'](input)).toThrow(new TypeError('the input of "f" must be a plain object'));
    expect(() => client().ai['f'].stream(input)).toThrow(TypeError);
    expect(server.requests).toEqual([]);
  });

  it.each(['temperature', 'system', 'prompt', 'topP', 'maxTokens', 'max_tokens', 'seed', 'messages', 'instructions'])(
    'with %s as an option, and the error says where it belongs',
    (option) => {
      const message = `"${option}" is no option of a call; options are ${known}. Prompts and sampling are settings of the function on the server: PUT /functions/:id/settings`;
      expect(() => client().ai['f']({}, { [option]: 1 })).toThrow(new TypeError(message));
      expect(() => client().ai['f'].stream({}, { [option]: 1 })).toThrow(message);
      expect(() => client().ai.$with({ [option]: 1 } as never)).toThrow(message);
    },
  );

  it('with an option that does not exist', () => {
    expect(() => client().ai['f']({}, { retries: 1 })).toThrow(
      `"retries" is no option of a call; options are ${known}`,
    );
  });

  it('for a shape that has no meaning', () => {
    expect(() => client().AI({ f: { a: [5] } } as never)).toThrow(ShapeError);
    expect(() => client().ai['f']({}, { schema: { a: 5 } })).toThrow('output shape at f.a: 5 is not a shape');
  });

  it.each(['then', 'toJSON', 'constructor', 'toString', '__proto__', '$x', 'asymmetricMatch'])(
    'for the declaration of %s',
    (name) => {
      const declared = Object.fromEntries([[name, { a: 'text' }]]);
      expect(() => client().AI(declared)).toThrow(`"${name}" is reserved: use $call("${name}", input)`);
    },
  );

  it.each(['', '.', '..'])('for the name "%s", which would be another path', async (name) => {
    server.script(output({}));
    const message = `"${name}" is not a valid name`;
    await expect(client().ai.$call(name)).rejects.toThrow(message);
    expect(() => client().functions.get(name)).toThrow(message);
    expect(() => client().models.get(`openai/${name}`)).toThrow(message);
    expect(server.requests).toEqual([]);
  });

  it('for an input that is not JSON', async () => {
    const loop: Record<string, unknown> = {};
    loop['loop'] = loop;
    await expect(client().ai['f'](loop)).rejects.toThrow(TypeError);
    await expect(client().ai['f']({ n: 1n })).rejects.toThrow(TypeError);
    expect(server.requests).toEqual([]);
  });
});

describe('the endpoints', () => {
  it('each have one method on the client', async () => {
    server.script(json({ ok: true }));
    const { generate, chat, embeddings, functionCalling, models, functions } = client();
    const messages = [{ role: 'user', content: 'x' }] as const;
    const body = { name: 'f', input: {}, output: {}, code: '' };
    await generate({ prompt: 'x', temperature: 0.5 });
    await chat({ messages });
    await embeddings({ text: 'x' });
    await functionCalling({ messages, functions: [{ name: 'f', parameters: {} }] });
    await models.list();
    await models.get('openai/org/gpt 4');
    await functions.list();
    await functions.list({ limit: 5, offset: 0, sort: 'name', order: 'asc' });
    await functions.get('a/b');
    await functions.create(body);
    await functions.replace('a', body);
    await functions.delete('a');
    await functions.execute('a', { text: 'x' });
    await functions.execute('a');
    expect(server.requests.map(({ method, path, body: sent }) => [method, path, sent])).toEqual([
      ['POST', '/generate', { prompt: 'x', temperature: 0.5 }],
      ['POST', '/chat', { messages }],
      ['POST', '/embeddings', { text: 'x' }],
      ['POST', '/function-calling', { messages, functions: [{ name: 'f', parameters: {} }] }],
      ['GET', '/models', undefined],
      ['GET', '/models/openai/org/gpt%204', undefined],
      ['GET', '/functions', undefined],
      ['GET', '/functions?limit=5&offset=0&sort=name&order=asc', undefined],
      ['GET', '/functions/a%2Fb', undefined],
      ['POST', '/functions', body],
      ['PUT', '/functions/a', body],
      ['DELETE', '/functions/a', undefined],
      ['POST', '/functions/a/execute', { input: { text: 'x' } }],
      ['POST', '/functions/a/execute', { input: {} }],
    ]);
    const keyed = server.requests.filter(({ headers }) => headers['idempotency-key'] !== undefined);
    const run = ['POST', '/functions/a/execute'];
    expect(keyed.map(({ method, path }) => [method, path])).toEqual([['POST', '/functions'], run, run]);
  });

  it('send the given key, or none', async () => {
    server.script(json({ ok: true }));
    const { generate, functions } = client();
    await generate({ prompt: 'x' }, { idempotencyKey: 'mine' });
    await functions.execute('a', {}, { idempotencyKey: false });
    expect(server.requests.map(({ headers }) => headers['idempotency-key'])).toEqual(['mine', undefined]);
  });
});

describe('the key of a call by name', () => {
  it('stops once a model served the name, and resumes once a stored function does', async () => {
    const generated = output({ n: 1 }, { functionId: null });
    const stored = output({ n: 1 }, { functionId: 'function_1' });
    server.script(stored, generated, generated, stored, stored);
    const { ai } = client();
    for (let count = 0; count < 5; count += 1) await ai['f']({});
    const keys = server.requests.map(({ headers }) => headers['idempotency-key'] !== undefined);
    expect(keys).toEqual([true, true, false, false, true]);
    server.script(generated);
    await ai['f']({}, { idempotencyKey: 'mine' });
    expect(server.requests.at(-1)?.headers['idempotency-key']).toBe('mine');
  });
});
