import type { App } from '@patchbay/core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createFetchHandler } from './fetch-handler.ts';
import { createTestApp, sample, tokenOf } from './fixtures/test-app.ts';
import { type Client, type SendOptions, transportsOfServices } from './fixtures/transports.ts';

const missing = 'function_00000000000000000000000000';
const jsonLines = { 'content-type': 'application/jsonl' };
const accept = { accept: 'application/jsonl' };

describe('the dataset of a function', () => {
  let app: App;
  let client: Client;
  let stop: () => Promise<void>;

  beforeAll(async () => {
    const [, open] = transportsOfServices[0] as (typeof transportsOfServices)[number];
    app = (await createTestApp()).app;
    client = await open(app);
    stop = async () => {
      await client.close();
      await app.host.stop(0);
    };
  });

  afterAll(() => stop());

  const send = (method: string, path: string, body?: object, options: SendOptions = {}) =>
    client.send(method, path, { ...(body && { body }), ...options });

  let made = 0;
  const withFunction = async (fields: object = {}) => {
    made += 1;
    const { id } = (await send('POST', '/functions', { ...sample, name: `Dataset ${made}`, ...fields })).json;
    const path = `/functions/${id}/dataset`;
    return {
      id,
      path,
      add: (examples: readonly object[], options?: SendOptions) => send('POST', path, { examples }, options),
      addLines: (raw: string) => send('POST', path, undefined, { raw, headers: jsonLines }),
      lines: async (query = '') => {
        const { text, headers } = await send('GET', `${path}${query}`, undefined, { headers: accept });
        expect(headers.get('content-type')).toBe('application/jsonl');
        return text.split('\n').slice(0, -1);
      },
    };
  };

  const input = { text: 'a' };

  it('has what was imported, in pages and as lines that can be imported again', async () => {
    const { path, add, addLines, lines } = await withFunction();
    const given = Array.from({ length: 25 }, (_, index) => ({ id: `case-${index}`, input: { text: `${index}` } }));
    const rich = { id: 'rich', input, expected: { text: 'b' }, output: { any: 1 }, scores: { score: 0.5, ok: true } };
    expect((await add([...given, rich])).json).toEqual({ added: 26, changed: 0, unchanged: 0 });
    const first = (await send('GET', path)).json;
    expect([first.data.length, first.meta.total]).toEqual([20, 26]);
    const second = (await send('GET', `${path}?cursor=${encodeURIComponent(first.meta.nextCursor)}`)).json;
    expect(second.data).toHaveLength(6);
    const shown = [...first.data, ...second.data].find(({ id }: { id: string }) => id === 'rich');
    expect(shown).toMatchObject({ ...rich, source: 'import', createdBy: 'key_acme_1' });

    const exported = await lines();
    expect(exported).toHaveLength(26);
    expect((await addLines(exported.join('\n'))).json).toEqual({ added: 0, changed: 0, unchanged: 26 });
    const other = await withFunction();
    expect((await other.addLines(`${exported.join('\r\n')}\n`)).json).toMatchObject({ added: 26 });
  });

  it('has one example for each id: other content replaces it, and without an id the content is the id', async () => {
    const { path, add } = await withFunction();
    await add([{ id: 'one', input }]);
    expect((await add([{ id: 'one', input, expected: { text: 'b' } }])).json).toMatchObject({ added: 0, changed: 1 });
    expect((await add([{ input }, { input }])).json).toMatchObject({ added: 1 });
    expect((await add([{ input, expected: null, scores: {} }])).json).toMatchObject({ added: 0, unchanged: 1 });
    expect((await send('GET', path)).json.meta.total).toBe(2);
  });

  it.each([
    ['ends too early', '{"input":', 'invalid_json', '', 'is not valid JSON: it ends too early'],
    ['is not JSON', '{input: 1}', 'invalid_json', '', 'is not valid JSON: see column 2'],
    ['is empty', '', 'invalid_json', '', 'is empty'],
    ['is too deep', '['.repeat(65), 'too_deep', '', 'at most 64 levels are accepted'],
    ['has a NUL', '{"input":{"text":"\\u0000"}}', 'unsupported_unicode', '/input/text', 'has a NUL character'],
  ])('names the line and the pointer of a line that %s', async (_, line, code, pointer, detail) => {
    const { addLines } = await withFunction();
    const { status, json } = await addLines(`{"input":{"text":"a"}}\n${line}\n{"input":{"text":"b"}}`);
    expect([status, json.code]).toEqual([400, code]);
    expect(json.errors).toEqual([{ pointer: `/examples/1${pointer}`, code, detail: `line 2: ${detail}` }]);
    expect(json.detail).not.toContain('line 1');
  });

  it('refuses all examples if one does not fit, with the line and pointer of each fault', async () => {
    const { path, add, addLines } = await withFunction();
    const refused = await addLines(
      '{"input":{"text":"a"}}\n{"input":{"text":1},"expected":{}}\n{"id":"x","input":{}}\n{"id":"x","input":{"text":"a"}}',
    );
    expect(refused).toMatchObject({ status: 400, json: { code: 'invalid_request' } });
    expect(refused.json.errors).toEqual([
      { pointer: '/examples/1/input/text', code: 'type', detail: 'line 2: must be string' },
      { pointer: '/examples/1/expected/text', code: 'required', detail: 'line 2: is required' },
      { pointer: '/examples/2/input/text', code: 'required', detail: 'line 3: is required' },
      { pointer: '/examples/3/id', code: 'duplicate', detail: 'line 4: is the id of an example before it' },
    ]);
    const unknown = await addLines('{"input":{}}\n{"inputs":{}}');
    expect(unknown.json.errors).toContainEqual({
      pointer: '/examples/1/inputs',
      code: 'unknown_field',
      detail: expect.stringMatching(/^line 2: is not a field here.*input/),
    });
    for (const body of ['', '\n']) expect((await addLines(body)).status).toBe(400);
    const many = Array.from({ length: 501 }, (_, index) => ({ input: { text: `${index}` } }));
    expect((await add(many)).json.errors).toMatchObject([{ pointer: '/examples', code: 'maxItems' }]);
    expect((await add([{ id: '../x', input }])).json.errors).toMatchObject([{ pointer: '/examples/0/id' }]);
    expect((await send('GET', path)).json.meta.total).toBe(0);
    expect((await add(many.slice(0, 500))).json.added).toBe(500);
  });

  it('refuses scores that feedback could not have, and scores of no output', async () => {
    const { id, add } = await withFunction();
    const metrics = { edits: { optimize: 'min' }, note: {} };
    await send('PUT', `/functions/${id}/settings`, { metrics });
    const output = { text: 'b' };
    const fits = { input, output, scores: { score: 1, edits: 0.5, note: 5, undeclared: 5 } };
    expect((await add([fits])).json).toMatchObject({ added: 1 });
    const refused = await add([
      fits,
      { input, output, scores: { score: 5, edits: 'slow', note: 'long' } },
      { input, scores: { score: 1 } },
      { input, output: null, scores: { score: -1 } },
    ]);
    expect([refused.status, refused.json.code]).toEqual([400, 'invalid_request']);
    const range = 'must be a boolean, or a number from 0 to 1, for a metric to optimize';
    const without = 'must be empty without an output that they are about';
    expect(refused.json.errors).toEqual([
      { pointer: '/examples/1/scores/score', code: 'unsupported_value', detail: range },
      { pointer: '/examples/1/scores/edits', code: 'unsupported_value', detail: range },
      { pointer: '/examples/2/scores', code: 'without_output', detail: without },
      { pointer: '/examples/3/scores', code: 'without_output', detail: without },
      { pointer: '/examples/3/scores/score', code: 'unsupported_value', detail: range },
    ]);
  });

  it('takes what feedback about a failed execution is as an example: it has no output, and no scores', async () => {
    const { id, addLines, lines } = await withFunction({ code: 'fail' });
    expect((await send('POST', `/functions/${id}/execute`, { input })).status).toBe(422);
    const { json } = await send('GET', `/functions/${id}/executions`);
    expect((await send('POST', '/feedback', { target: json.data[0].id, value: 0 })).status).toBe(201);
    const [example = ''] = await lines('?source=feedback');
    const { output, scores } = JSON.parse(example);
    expect([output, scores]).toEqual([null, {}]);
    expect((await addLines(example)).json).toMatchObject({ added: 1 });
  });

  it('is changed and read only by those who may change and read the function', async () => {
    const { path, add } = await withFunction();
    await add([{ id: 'one', input }]);
    expect((await add([{ input }], { as: 'reader' })).json.code).toBe('insufficient_scope');
    expect((await send('DELETE', path, undefined, { as: 'reader' })).json.code).toBe('insufficient_scope');
    expect((await send('GET', path, undefined, { as: 'reader' })).json.meta.total).toBe(1);
    const ofFeedback = await send('GET', `${path}?source=feedback`, undefined, { as: 'reader' });
    expect(ofFeedback.json).toMatchObject({ code: 'insufficient_scope', scope: 'feedback:read' });
    for (const headers of [{}, accept]) {
      const foreign = await send('GET', path, undefined, { as: 'stranger', headers });
      expect(foreign.json.code).toBe('function_not_found');
    }
    expect((await send('DELETE', `${path}/one`, undefined, { as: 'stranger' })).json.code).toBe('function_not_found');
    expect((await send('GET', `/functions/${missing}/dataset`)).json.code).toBe('function_not_found');
  });

  it('loses one example, or all, with an entry in the audit log', async () => {
    const { id, path, add } = await withFunction();
    await add([
      { id: 'one', input },
      { id: 'two', input },
      { id: 'three', input },
    ]);
    expect((await send('DELETE', `${path}/two`)).status).toBe(200);
    expect((await send('DELETE', `${path}/two`)).json.code).toBe('example_not_found');
    expect((await send('DELETE', path)).json.message).toBe(`2 examples of function ${id} were deleted`);
    expect((await send('GET', path)).json.meta.total).toBe(0);
    const entries = (await send('GET', '/audit?limit=4')).json.data;
    expect(entries.map(({ action, details }: { action: string; details: object }) => [action, details])).toEqual([
      ['dataset.deleted', { examples: 2 }],
      ['dataset.deleted', { example: 'two' }],
      ['dataset.imported', { added: 3, changed: 0 }],
      ['function.created', expect.anything()],
    ]);
    await add([{ id: 'four', input }]);
    await send('DELETE', `/functions/${id}`);
    expect((await send('GET', path)).json.code).toBe('function_not_found');
  });

  it('breaks off its lines if not all were sent, so that no reader mistakes a part for the whole', async () => {
    const { id, path, add } = await withFunction();
    await add(Array.from({ length: 30 }, (_, index) => ({ input: { text: `${index}` } })));
    const headers = { ...accept, authorization: `Bearer ${tokenOf('admin')}` };
    const response = await createFetchHandler(app)(new Request(`http://localhost${path}`, { headers }));
    const reader = (response.body as ReadableStream<Uint8Array>).getReader();
    expect((await reader.read()).done).toBe(false);
    await send('DELETE', `/functions/${id}`);
    const readAll = async (): Promise<void> => {
      for (;;) if ((await reader.read()).done) return;
    };
    await expect(readAll()).rejects.toThrow('no function has this id');
  });

  it('shows each execution with feedback once, with its scores, demonstration and output', async () => {
    const { id, path, lines } = await withFunction();
    const execute = async (text: string) =>
      (await send('POST', `/functions/${id}/execute`, { input: { text } })).json.id as string;
    const give = (target: string, value: number, fields: object = {}) =>
      send('POST', '/feedback', { target, value, ...fields });
    const plain = await execute('plain');
    const shown = await execute('shown');
    await execute('without feedback');
    const named = await send('POST', `/call/${encodeURIComponent(`Dataset ${made}`)}`, { input: { text: 'named' } });
    await send('PUT', `/functions/${id}/settings`, { metrics: { brief: { optimize: 'max' } } });
    await give(plain, 0);
    await give(shown, 0.5, { demonstration: { text: 'better' } });
    await give(plain, 1, { metric: 'brief' });
    await give(named.json.id, 1);
    const all: readonly { readonly id: string }[] = (await lines('?source=feedback')).map((line) => JSON.parse(line));
    // Feedback of one millisecond is in any order.
    const ids = [plain, shown, named.json.id];
    const examples = all.toSorted((one, other) => ids.indexOf(one.id) - ids.indexOf(other.id));
    const origin = { source: 'feedback', expected: null };
    expect(examples).toMatchObject([
      { ...origin, id: plain, input: { text: 'plain' }, output: { text: 'plain' }, scores: { score: 0, brief: 1 } },
      { ...origin, id: shown, expected: { text: 'better' }, scores: { score: 0.5 } },
      { ...origin, id: named.json.id, input: { text: 'named' }, scores: { score: 1 } },
    ]);
    const found: string[] = [];
    let cursor = '';
    do {
      const page = (await send('GET', `${path}?source=feedback&limit=1${cursor}`)).json;
      expect(page.meta.total).toBe(4);
      found.push(...page.data.map((example: { readonly id: string }) => example.id));
      cursor = page.meta.nextCursor && `&cursor=${encodeURIComponent(page.meta.nextCursor)}`;
    } while (cursor);
    expect([found.length, new Set(found)]).toEqual([3, new Set(ids)]);

    const kept = examples.map((line) => JSON.stringify(line)).join('\n');
    expect((await send('POST', path, undefined, { raw: kept, headers: jsonLines })).json).toMatchObject({ added: 3 });
  });
});
