import { echo } from '../driver/sample-functions.ts';

/** Sends a request to the server under test. */
export type Ask = (method: string, path: string, body?: unknown) => Promise<{ status: number; body: object }>;

/** The most expensive request that is known for an endpoint, and how to prepare for it. */
export interface WorstRequest {
  readonly title: string;
  /** Requests that precede it, each with the answer of the one before. What this returns sends the request itself. */
  readonly prepare: (ask: Ask) => Promise<() => Promise<unknown>>;
}

const MIB = 1_048_576;

const list = (items: object): object => ({ type: 'object', properties: { a: { type: 'array', items } } });
const alternatives = (depth: number, leaf: object): object =>
  depth === 0 ? leaf : { anyOf: Array.from({ length: 8 }, () => alternatives(depth - 1, leaf)) };
const numbered = <T>(count: number, make: (index: number) => T): T[] =>
  Array.from({ length: count }, (_, i) => make(i));
const names = numbered(480, (index) => `property ${index}`);
const membersOf = (count: number, make: (index: number) => object): object => ({
  type: 'object',
  properties: Object.fromEntries(numbered(count, (index) => [`property ${index}`, make(index)])),
});
const members = (value: object): object => membersOf(480, () => value);
const many = <T>(count: number, value: T): T[] => Array<T>(count).fill(value);
const keys = (count: number): Record<string, number> =>
  Object.fromEntries(numbered(count, (index) => [`k${index}`, index]));
const large = list(alternatives(2, { type: 'string' }));
const patterned = (count: number, salt: string) =>
  membersOf(count, (index) => ({ type: 'string', pattern: `^[a-z${salt}]{1,${(index % 9) + 1}}-${index}$` }));
/** Within all limits of a schema, and with as many steps of patterns as it may have. */
const mostPatterns = (salt: string): object =>
  membersOf(19, (index) => ({ type: 'string', pattern: `^(?:[a-z${salt}]{1,100}-${index}){2}(?:x|y)*$` }));

/** Refers to its parts so often that they double `levels` times. */
const doubling = (levels: number, salt = ''): object => ({
  $ref: '#/$defs/d0',
  $defs: Object.fromEntries(
    numbered(levels + 1, (index) => {
      const next = { $ref: `#/$defs/d${index + 1}` };
      const inner = { type: 'object', properties: { [`a${salt}`]: next, b: next } };
      return [`d${index}`, index === levels ? { type: 'string', title: salt } : inner];
    }),
  ),
});
/** Definitions of which each refers to all. */
const recursive = (count: number): object => ({
  $ref: '#/$defs/n0',
  $defs: Object.fromEntries(
    numbered(count, (index) => [
      `n${index}`,
      {
        type: 'object',
        properties: Object.fromEntries(numbered(count, (to) => [`p${to}`, { $ref: `#/$defs/n${to}` }])),
      },
    ]),
  ),
});
const nested = (levels: number): object =>
  numbered(levels, (index) => index).reduce<object>((inner, index) => ({ [`p${index % 20}`]: inner }), {});

const messages = [{ role: 'user', content: 'What is the weather in Bern?' }];
const callingOf = (functions: readonly object[]): object => ({ messages, functions });

const once = (title: string, path: string, body: () => unknown, method = 'POST'): WorstRequest => ({
  title,
  prepare: async (ask) => {
    const text = JSON.stringify(body());
    return () => ask(method, path, text);
  },
});
const raw = (title: string, path: string, body: () => string): WorstRequest => ({
  title,
  prepare: async (ask) => {
    const text = body();
    return () => ask('POST', path, text);
  },
});

async function save(ask: Ask, changes: object): Promise<string> {
  const { status, body } = await ask('POST', '/functions', { ...echo, ...changes });
  if (status !== 201) throw new Error(`the function was not saved: ${JSON.stringify(body)}`);
  return `/functions/${String((body as { id: string }).id)}`;
}

/** Executes a function that was saved before: what is measured is the execution. */
const executing = (title: string, changes: object, input: () => unknown): WorstRequest => ({
  title: `POST /functions/:id/execute: ${title}`,
  prepare: async (ask) => {
    const path = `${await save(ask, changes)}/execute`;
    const text = JSON.stringify({ input: input() });
    return () => ask('POST', path, text);
  },
});

const bodies: readonly WorstRequest[] = [
  raw('POST /functions: half a million brackets', '/functions', () => '['.repeat(500_000)),
  raw('POST /functions: half a million values', '/functions', () => `[${'0,'.repeat(500_000)}0]`),
  once('POST /functions: 99,000 values', '/functions', () => ({ name: many(99_000, 'x') })),
  once('POST /functions: 99,000 escapes', '/functions', () => ({ name: many(99_000, '\u0001') })),
  raw('POST /functions: a MiB of escapes', '/functions', () => `{"name":"${'\\ud83d\\ude00'.repeat(85_000)}"}`),
  once('POST /functions: 60,000 unknown fields', '/functions', () => keys(60_000)),
  once('POST /functions: 4,000 unknown keywords', '/functions', () => ({
    ...echo,
    input: Object.fromEntries(numbered(4_000, (index) => [`typo${index}`, 1])),
  })),
  once('POST /webhooks: 60,000 unknown fields', '/webhooks', () => keys(60_000)),
  once('POST /keys: 99,000 scopes', '/keys', () => ({ name: 'x', scopes: many(99_000, 'functions:read') })),
  {
    title: 'GET /functions: a long cursor',
    prepare: async (ask) => () => ask('GET', `/functions?cursor=${'a'.repeat(7_000)}`),
  },
  { title: 'GET /openapi.json', prepare: async (ask) => () => ask('GET', '/openapi.json') },
];

const bothSchemas = (make: (salt: string) => object) => () => ({ ...echo, input: make('0'), output: make('1') });
const twice = (schema: object) => ({ ...echo, input: { ...schema, title: '0' }, output: { ...schema, title: '1' } });

const schemas: readonly WorstRequest[] = [
  once('POST /functions: two schemas of 480 properties', '/functions', () =>
    twice(members({ type: 'string', format: 'uri', minLength: 1 })),
  ),
  once('POST /functions: two schemas of nested alternatives', '/functions', () =>
    twice(list({ anyOf: many(6, alternatives(2, { type: 'string' })) })),
  ),
  once('POST /functions: two schemas with as many patterns as they may have', '/functions', bothSchemas(mostPatterns)),
  once(
    'POST /functions: two schemas with 480 different patterns',
    '/functions',
    bothSchemas((salt) => patterned(480, salt)),
  ),
  once(
    'POST /functions: two schemas whose parts double as often as they may',
    '/functions',
    bothSchemas((salt) => doubling(8, salt)),
  ),
  once(
    'POST /functions: two schemas whose parts double beyond all limits',
    '/functions',
    bothSchemas((salt) => doubling(40, salt)),
  ),
  once(
    'POST /functions: two schemas of definitions that all refer to one another',
    '/functions',
    bothSchemas(() => recursive(20)),
  ),
  once('POST /functions: patterns that expand', '/functions', () => ({
    ...echo,
    input: membersOf(100, () => ({ type: 'string', pattern: '(a|bb){1000}'.repeat(42) })),
  })),
  once('POST /functions: 480 defaults that do not fit', '/functions', () => ({
    ...echo,
    input: members({ type: 'string', default: 0 }),
  })),
  once('POST /functions: 256 KiB of code', '/functions', () => ({
    ...echo,
    code: `export default () => ({ a: [${'1,'.repeat(120_000)}1] })`,
  })),
  {
    title: 'PUT /functions/:id: two schemas with as many patterns as they may have',
    prepare: async (ask) => {
      const path = await save(ask, {});
      const body = { ...echo, input: mostPatterns('2'), output: mostPatterns('3') };
      return () => ask('PUT', path, body);
    },
  },
  once('POST /functions/test: two schemas at their limits and 60,000 members', '/functions/test', () => ({
    function: { input: mostPatterns('4'), output: mostPatterns('5'), code: echo.code },
    input: keys(60_000),
  })),
  {
    title: 'PUT /functions/:id/settings: 20 examples of a large schema',
    prepare: async (ask) => {
      const path = `${await save(ask, { input: large, output: { ...large, title: 'out' } })}/settings`;
      const example = { input: { a: many(800, 'x') }, output: { a: many(800, 'x') } };
      const body = { prompt: '{{input}} '.repeat(1_000), examples: many(20, example) };
      return () => ask('PUT', path, body);
    },
  },
  once('POST /call/:name: an output schema at its limits and 60,000 members', '/call/unheard', () => ({
    input: keys(60_000),
    output: mostPatterns('6'),
  })),
  once('POST /call/:name: a declared output of 480 properties', '/call/unheard%20as%20well', () => ({
    input: { a: 1 },
    output: members({ type: 'string', format: 'uri', minLength: 1 }),
  })),
];

const executions: readonly WorstRequest[] = [
  executing('a document of a schema that refers to itself', { input: recursive(20) }, () =>
    Object.fromEntries(numbered(20, (index) => [`p${index}`, nested(30 - (index % 2))])),
  ),
  executing(
    'a pattern on a long text',
    { input: { type: 'object', properties: { a: { type: 'string', pattern: '^(a|aa|a?b){1,30}$' } } } },
    () => ({ a: 'a'.repeat(8_000) }),
  ),
  executing(
    'a format on a long text',
    {
      input: {
        type: 'object',
        properties: { a: { type: 'string', format: 'uri' }, b: { type: 'string', format: 'email' } },
      },
    },
    () => ({ a: `http://${'a'.repeat(500_000)}^`, b: 'a.'.repeat(240_000) }),
  ),
  executing('alternatives that all fail', { input: large }, () => ({ a: many(7_000, 1) })),
  executing(
    'alternatives as far as they go',
    { input: list({ anyOf: [...many(7, alternatives(1, { type: 'string' })), { type: 'integer' }] }) },
    () => ({ a: many(6_500, 1) }),
  ),
  executing('a long enum', { input: list({ enum: names }) }, () => ({ a: many(10_000, 'property 479') })),
  executing('many defaults', { input: list(members({ default: 0 })) }, () => ({ a: many(500, {}) })),
  executing('60,000 keys through a function', {}, () => keys(60_000)),
  executing('99,000 values through a function', {}, () => ({ a: many(99_000, 'x') })),
  executing(
    '80,000 members through a schema',
    { input: list({ type: 'integer' }), output: list({ type: 'integer' }) },
    () => ({
      a: numbered(80_000, (index) => index),
    }),
  ),
  executing('300,000 values as output', { code: 'export default () => ({ a: Array(300_000).fill("x") })' }, () => ({})),
  executing(
    '90,000 members as output',
    { code: 'export default () => Object.fromEntries(Array.from({ length: 70_000 }, (_, i) => ["key" + i, i]))' },
    () => ({}),
  ),
  executing(
    'a MiB of nested output',
    { code: 'export default () => ({ a: Array(100_000).fill([[[]]]) })' },
    () => ({}),
  ),
  executing(
    'a full log',
    { code: 'export default () => { for (let i = 0; i < 10_000; i += 1) console.log(i, "x".repeat(50)); return {} }' },
    () => ({}),
  ),
  executing(
    '300,000 members to another function',
    {
      code: `export default async (input, context) => {
  const members = Object.fromEntries(Array.from({ length: 300_000 }, (_, index) => ['k' + index, 1]));
  return await context.functions.call('Echo', members).catch((error) => ({ code: error.code }));
}`,
    },
    () => ({}),
  ),
  executing(
    '70,000 members to another function',
    {
      code: `export default async (input, context) => {
  const members = Object.fromEntries(Array.from({ length: 70_000 }, (_, index) => ['k' + index, 1]));
  return await context.functions.call('Echo', members).catch((error) => ({ code: error.code }));
}`,
    },
    () => ({}),
  ),
];

const reads: readonly WorstRequest[] = [
  {
    title: 'GET /executions/:id: 60,000 members in and out',
    prepare: async (ask) => {
      const path = `${await save(ask, {})}/execute`;
      const { body } = await ask('POST', path, { input: keys(60_000) });
      return () => ask('GET', `/executions/${String((body as { id: string }).id)}`);
    },
  },
  {
    title: 'GET /functions/:id/settings/versions: versions with examples of 60,000 members',
    prepare: async (ask) => {
      const path = `${await save(ask, {})}/settings`;
      const text = JSON.stringify({ examples: many(2, { input: keys(15_000), output: keys(15_000) }) });
      for (let version = 1; version <= 12; version += 1) await ask('PUT', path, text);
      return () => ask('GET', `${path}/versions?limit=100`);
    },
  },
  {
    title: 'GET /observed-names: 100 names with 50 members and 8 KiB of output schema each',
    prepare: async (ask) => {
      const input = Object.fromEntries(numbered(50, (index) => [`${index}`.padStart(64, 'm'), index]));
      const output = { type: 'object', description: 'x'.repeat(8_000) };
      const text = JSON.stringify({ input, output });
      for (let index = 1; index <= 100; index += 1) await ask('POST', `/call/nameless%20${index}`, text);
      return () => ask('GET', '/observed-names?limit=100');
    },
  },
  {
    title: 'GET /functions/:id/versions: versions with 256 KiB of code and two schemas of 60 KiB',
    prepare: async (ask) => {
      const path = await save(ask, {});
      const schema = { type: 'object', description: 'x'.repeat(60_000) };
      const code = `${echo.code} // ${'x'.repeat(255_000)}`;
      for (let version = 1; version <= 20; version += 1)
        await ask('PUT', path, { ...echo, code, input: schema, output: schema });
      return () => ask('GET', `${path}/versions?limit=100`);
    },
  },
];

const gateway: readonly WorstRequest[] = [
  once('POST /function-calling: 128 functions whose parts double', '/function-calling', () =>
    callingOf(numbered(128, (index) => ({ name: `f${index}`, parameters: doubling(6, `${index}`) }))),
  ),
  once('POST /function-calling: 128 functions with as many patterns as each may have', '/function-calling', () =>
    callingOf(numbered(128, (index) => ({ name: `f${index}`, parameters: mostPatterns(`${index}`) }))),
  ),
  once('POST /function-calling: functions with as many patterns as a request may have', '/function-calling', () =>
    callingOf(numbered(2, (index) => ({ name: `f${index}`, parameters: mostPatterns(`${index}`) }))),
  ),
  once('POST /function-calling: 128 functions of 20 patterns', '/function-calling', () =>
    callingOf(numbered(128, (index) => ({ name: `f${index}`, parameters: patterned(20, `${index}`) }))),
  ),
  once('POST /function-calling: 4 functions with as many patterns as they may have', '/function-calling', () =>
    callingOf(numbered(4, (index) => ({ name: `f${index}`, parameters: mostPatterns(`${index}`) }))),
  ),
  once('POST /function-calling: 100 functions of 480 properties', '/function-calling', () =>
    callingOf(numbered(100, (index) => ({ name: `f${index}`, parameters: members({ type: 'string' }) }))),
  ),
  once('POST /function-calling: one function of 480 properties', '/function-calling', () =>
    callingOf([{ name: 'one', parameters: members({ type: 'string', format: 'uri', minLength: 1 }) }]),
  ),
  once('POST /chat: 4 MiB in 1,000 messages', '/chat', () => ({
    messages: many(1_000, { role: 'user', content: 'word '.repeat(800) }),
  })),
  once('POST /chat: 24,000 parts in 1,000 messages', '/chat', () => ({
    messages: many(1_000, { role: 'user', content: many(24, { type: 'text', text: 'word' }) }),
  })),
  once('POST /chat: tool calls with 90,000 members', '/chat', () => ({
    messages: [
      ...messages,
      { role: 'assistant', content: '', toolCalls: [{ id: 'x', name: 'x', arguments: keys(90_000) }] },
      { role: 'tool', toolCallId: 'x', content: 'x' },
    ],
  })),
  once('POST /generate: 4 MiB', '/generate', () => ({ prompt: 'word '.repeat(800_000) })),
  once('POST /embeddings: 4 MiB', '/embeddings', () => ({ text: 'word '.repeat(800_000) })),
  once('POST /chat/stream: 4 MiB', '/chat', () => ({
    stream: true,
    messages: [{ role: 'user', content: 'x'.repeat(4 * MIB - 200) }],
  })),
];

const model = 'demo/extractive';
const compatible: readonly WorstRequest[] = [
  once('POST /v1/chat/completions: an image of 30 MiB', '/v1/chat/completions', () => {
    const url = `data:image/png;base64,${'A'.repeat(30 * MIB)}`;
    return { model, messages: [{ role: 'user', content: [{ type: 'image_url', image_url: { url } }] }] };
  }),
  once('POST /v1/chat/completions: 10,000 messages', '/v1/chat/completions', () => {
    return {
      model,
      messages: numbered(10_000, (index) => ({ role: index % 2 ? 'assistant' : 'user', content: 'word' })),
    };
  }),
  once('POST /v1/messages: 30,000 parts', '/v1/messages', () => {
    const content = numbered(30_000, (index) => ({ type: 'text', text: `word ${index}` }));
    return { model, max_tokens: 9, messages: [{ role: 'user', content }] };
  }),
  once('POST /v1/responses: 10,000 items', '/v1/responses', () => {
    return { model, input: numbered(10_000, (index) => ({ role: index % 2 ? 'assistant' : 'user', content: 'word' })) };
  }),
  once('POST /v1/responses: 10,000 items that are only named', '/v1/responses', () => {
    return { model, input: numbered(10_000, (index) => ({ type: 'reasoning', id: `rs_${index}`, summary: [] })) };
  }),
  once('POST /v1/embeddings: 2,048 texts of 15,000 characters', '/v1/embeddings', () => {
    return { model: 'demo/hash-embed-512', input: many(2_048, 'word '.repeat(3_000)) };
  }),
];

export const worstRequests: readonly WorstRequest[] = [
  ...bodies,
  ...schemas,
  ...executions,
  ...reads,
  ...gateway,
  ...compatible,
];
