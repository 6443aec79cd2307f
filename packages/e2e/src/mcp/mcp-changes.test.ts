import { expect, it } from 'vitest';
import { echo } from '../driver/sample-functions.ts';
import { adminKey } from '../driver/server-process.ts';
import { useServerHere } from '../driver/use-server-here.ts';

const server = useServerHere();

const meta = {
  'io.modelcontextprotocol/protocolVersion': '2026-07-28',
  'io.modelcontextprotocol/clientInfo': { name: 'test', version: '1.0.0' },
  'io.modelcontextprotocol/clientCapabilities': {},
};

interface SendOptions {
  readonly signal?: AbortSignal;
  readonly key?: string;
  readonly query?: string;
}

/** A message of the newest revision. */
async function send(method: string, params: object, options: SendOptions = {}): Promise<Response> {
  const { signal, key = adminKey, query = '' } = options;
  return await fetch(`${server.running.url}/mcp${query}`, {
    method: 'POST',
    headers: {
      authorization: `Bearer ${key}`,
      'content-type': 'application/json',
      accept: 'application/json, text/event-stream',
      'mcp-protocol-version': '2026-07-28',
      'mcp-method': method,
    },
    body: JSON.stringify({ jsonrpc: '2.0', id: 1, method, params: { ...params, _meta: meta } }),
    ...(signal && { signal }),
  });
}

it('a subscription announces new and changed functions, and nothing else', async () => {
  const leave = new AbortController();
  const { body } = await send('subscriptions/listen', { notifications: { toolsListChanged: true } }, leave);
  const reader = (body as ReadableStream<Uint8Array>).getReader();
  const decoder = new TextDecoder();
  const heard: string[] = [];
  /** The method of the next message. */
  const next = async (): Promise<string> => {
    while (heard.length === 0) {
      const text = decoder.decode((await reader.read()).value);
      heard.push(...[...text.matchAll(/"method":"(.*?)"/g)].map(([, method = '']) => method));
    }
    return heard.shift() ?? '';
  };
  expect(await next()).toBe('notifications/subscriptions/acknowledged');
  const changed = 'notifications/tools/list_changed';
  const { body: made } = await server.ask('POST', '/functions', echo);
  expect(await next()).toBe(changed);
  await server.ask('POST', '/keys', { name: 'no tool', scopes: ['functions:read'] });
  await server.ask('PUT', `/functions/${String(made['id'])}/settings`, { mcp: { expose: false } });
  expect(await next()).toBe(changed);
  await server.ask('DELETE', `/functions/${String(made['id'])}`);
  expect(await next()).toBe(changed);
  leave.abort();
});

it('a subscription ends when its key is revoked, and that of another key goes on', async () => {
  const create = async () => {
    const { body } = await server.ask('POST', '/keys', { name: 'listener', scopes: ['functions:execute'] });
    return { id: String(body['id']), key: String(body['key']) };
  };
  const [revoked, kept] = [await create(), await create()];
  const leave = new AbortController();
  const listen = async ({ key }: { readonly key: string }) => {
    const notifications = { toolsListChanged: true };
    const { body } = await send('subscriptions/listen', { notifications }, { signal: leave.signal, key });
    return (body as ReadableStream<Uint8Array>).pipeThrough(new TextDecoderStream()).getReader();
  };
  const [ending, going] = [await listen(revoked), await listen(kept)];
  expect((await server.ask('DELETE', `/keys/${revoked.id}`)).status).toBeLessThan(300);
  let heard = '';
  for (let part = await ending.read(); !part.done; part = await ending.read()) heard += part.value;
  // It ends as the protocol ends it, and not as a broken connection.
  expect(heard).toContain('"resultType":"complete"');
  expect(heard).not.toContain('list_changed');
  const { body: made } = await server.ask('POST', '/functions', { ...echo, name: 'After the revocation' });
  for (let text = ''; !text.includes('list_changed'); ) text += (await going.read()).value ?? '';
  leave.abort();
  await server.ask('DELETE', `/functions/${String(made['id'])}`);
});

it('a list of 500 functions has each of them once, in pages, and in the same order each time', async () => {
  const names = Array.from({ length: 500 }, (_, index) => `Number ${index}`);
  for (let start = 0; start < names.length; start += 20) {
    await Promise.all(
      names
        .slice(start, start + 20)
        .map((name) =>
          server.ask('POST', '/functions', { ...echo, name, code: '', settings: { model: 'demo/extractive' } }),
        ),
    );
  }
  const list = async (): Promise<readonly string[]> => {
    const found: string[] = [];
    for (let cursor: string | undefined, first = true; first || cursor !== undefined; first = false) {
      const { result } = (await (await send('tools/list', cursor === undefined ? {} : { cursor })).json()) as {
        readonly result: { readonly tools: readonly { readonly name: string }[]; readonly nextCursor?: string };
      };
      found.push(...result.tools.map(({ name }) => name));
      cursor = result.nextCursor;
    }
    return found;
  };
  const first = await list();
  // Those of code mode go first.
  expect(first).toHaveLength(503);
  expect(first.slice(3).toSorted()).toEqual(names.map((name) => name.replace('Number ', 'number')).toSorted());
  expect(await list()).toEqual(first);
});

it.each(['', 'x', 5, null, {}])('the cursor %j is invalid', async (cursor) => {
  const invalid = { error: { code: -32_602 } };
  for (const method of ['tools/list', 'prompts/list']) {
    expect(await (await send(method, { cursor })).json()).toMatchObject(invalid);
  }
  expect(await (await send('tools/list', { cursor }, { query: '?mode=code' })).json()).toMatchObject(invalid);
});

it('functions whose names have one key are tools of different names, and the oldest keeps its own', async () => {
  const create = async (name: string, output: object): Promise<string> => {
    const code = `export default () => (${JSON.stringify(output)})`;
    return String((await server.ask('POST', '/functions', { ...echo, name, code })).body['id']);
  };
  const call = async (name: string): Promise<unknown> => {
    const headers = { 'mcp-name': name };
    const { body } = await server.ask(
      'POST',
      '/mcp',
      { jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name, arguments: {}, _meta: meta } },
      {
        ...headers,
        accept: 'application/json, text/event-stream',
        'mcp-protocol-version': '2026-07-28',
        'mcp-method': 'tools/call',
      },
    );
    return (body['result'] as { readonly structuredContent?: unknown } | undefined)?.structuredContent ?? body['error'];
  };
  const older = await create('Same name', { older: true });
  const newer = await create('same Name', { newer: true });
  const withId = `sameName_${newer.slice(-26)}`;
  expect(await call('sameName')).toEqual({ older: true });
  expect(await call(withId)).toEqual({ newer: true });
  expect(await call(`sameName_${older.slice(-26)}`)).toEqual({ older: true });
  await server.ask('DELETE', `/functions/${older}`);
  expect(await call('sameName')).toEqual({ newer: true });
  const foreign = await create('日本語 Übersicht', { foreign: true });
  expect(await call(`Ubersicht_${foreign.slice(-26)}`)).toEqual({ foreign: true });
});

it('each version of the settings of a function that a model implements is a prompt', async () => {
  const prompt = 'Shorten {{input.text}} to {{input.words}} words';
  const { body } = await server.ask('POST', '/functions', {
    ...echo,
    name: 'Shorten it',
    input: { type: 'object', properties: { text: { type: 'string' }, words: { type: 'integer' } }, required: ['text'] },
    code: '',
    settings: { system: 'Be brief.', prompt },
  });
  await server.ask('PUT', `/functions/${String(body['id'])}/settings`, { system: 'Be very brief.', prompt });
  const ask = async (method: string, params: Readonly<Record<string, unknown>>): Promise<unknown> => {
    const name = typeof params['name'] === 'string' ? { 'mcp-name': params['name'] } : {};
    const headers = { accept: 'application/json, text/event-stream', 'mcp-protocol-version': '2026-07-28', ...name };
    const message = { jsonrpc: '2.0', id: 1, method, params: { ...params, _meta: meta } };
    const reply = await server.ask('POST', '/mcp', message, { ...headers, 'mcp-method': method });
    return reply.body['result'] ?? reply.body['error'];
  };
  const all: { readonly name: string }[] = [];
  for (let cursor: string | undefined, first = true; first || cursor !== undefined; first = false) {
    const page = (await ask('prompts/list', cursor === undefined ? {} : { cursor })) as {
      readonly prompts: readonly { readonly name: string }[];
      readonly nextCursor?: string;
    };
    all.push(...page.prompts);
    cursor = page.nextCursor;
  }
  const own = all.filter(({ name }) => name.startsWith('shortenIt'));
  expect(own.map(({ name }) => name)).toEqual(['shortenIt@2', 'shortenIt@1']);
  expect(own[0]).toMatchObject({
    title: 'Shorten it',
    arguments: [
      { name: 'text', required: true },
      { name: 'words', required: false },
    ],
  });
  const text = (value: string) => ({ role: 'user', content: { type: 'text', text: value } });
  expect(await ask('prompts/get', { name: 'shortenIt@1', arguments: { text: '12', words: '3' } })).toMatchObject({
    messages: [text('Be brief.'), text('Shorten 12 to 3 words')],
  });
  expect(await ask('prompts/get', { name: 'shortenIt@2', arguments: {} })).toMatchObject({ code: -32_602 });
  for (const name of ['shortenIt@3', 'shortenIt', 'sameName@1', '@1']) {
    expect(await ask('prompts/get', { name, arguments: { text: 'a' } })).toMatchObject({ code: -32_602 });
  }
});
