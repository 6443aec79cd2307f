import { upstreamReplies } from '@patchbay/testing';
import { describe, expect, it } from 'vitest';
import { asked, compactions, responses, startForwardingApp } from './forwarding-app.ts';

const { body, healthy } = upstreamReplies;
const streamed = asked('openai/large', { stream: true });
const withFallback = { routing: { fallbacks: ['anthropic/large'] } };
const says = (role: string, content: string) => ({ role, content });
const text = (value: string) => ({ type: 'output_text', text: value, annotations: [] });
const message = (id: string, value: string) => ({
  id,
  type: 'message',
  role: 'assistant',
  status: 'completed',
  content: [text(value)],
});
const usage = {
  input_tokens: 100,
  input_tokens_details: { cached_tokens: 40 },
  output_tokens: 50,
  output_tokens_details: { reasoning_tokens: 30 },
  total_tokens: 150,
};
const complete = (output: readonly object[], more: object = {}) => ({
  id: 'resp_1',
  object: 'response',
  status: 'completed',
  model: 'large-2026',
  error: null,
  output,
  usage,
  ...more,
});
const answered = (...parameters: Parameters<typeof complete>) => body(JSON.stringify(complete(...parameters)));
const events = (...list: readonly { readonly type: string; readonly [name: string]: unknown }[]) =>
  body(list.map((event) => `event: ${event.type}\ndata: ${JSON.stringify(event)}\n\n`).join(''), {
    contentType: 'text/event-stream',
  });
const created = { type: 'response.created', response: { id: 'resp_1', status: 'in_progress', output: [] } };
const failed = {
  type: 'response.failed',
  response: { id: 'resp_1', status: 'failed', error: { code: 'server_error', message: 'The words of the vendor' } },
};
const faultOf = async (response: Response) => {
  const { error } = (await response.json()) as { error: object };
  return { status: response.status, ...error };
};

describe('a forwarded response', () => {
  it.each([
    ['whole', answered([message('msg_1', 'Hi')]), asked()],
    ['in a stream', events(created, { type: 'response.completed', response: complete([]) }), streamed],
  ])('%s is in the ledger with cached and reasoning tokens', async (_, reply, sent) => {
    const app = await startForwardingApp();
    app.openai.script(reply);
    await (await app.send(responses, sent)).text();
    const { services, host } = app.test.app;
    const caller = await services.authenticate({ token: app.test.token() });
    const context = { caller, requestId: 'r', signal: AbortSignal.timeout(60_000), logger: host.logger };
    const range = { from: '2020-01-01T00:00:00.000Z', to: '2100-01-01T00:00:00.000Z' };
    const { groups } = await services.usage.report({ ...range, groupBy: 'model' }, context);
    expect(groups).toMatchObject([
      { totals: { uncachedInputTokens: 60, cacheReadTokens: 40, outputTokens: 50, reasoningTokens: 30 } },
    ]);
  });

  it('that is incomplete is a response, whole and in a stream', async () => {
    const app = await startForwardingApp();
    const cut = complete([message('msg_1', 'Hi')], {
      status: 'incomplete',
      incomplete_details: { reason: 'max_output_tokens' },
    });
    app.openai.script(body(JSON.stringify(cut)), events(created, { type: 'response.incomplete', response: cut }));
    expect(await (await app.send(responses, asked())).json()).toEqual(cut);
    expect(await (await app.send(responses, streamed)).text()).toMatch(
      /"type":"response\.incomplete".*\n\ndata: \[DONE\]\n\n$/,
    );
  });

  it.each([
    ['has failed', body(JSON.stringify({ ...complete([]), ...failed.response })), asked()],
    ['has not begun', body(JSON.stringify({ ...complete([]), status: 'queued' })), asked()],
    ['has no output', body(JSON.stringify({ ...complete([]), output: undefined })), asked()],
    ['has failed at the first event', events(created, failed), streamed],
    ['has an error at the first event', events(created, { type: 'error', code: 'server_error' }), streamed],
    ['ends before it is complete', events(created), streamed],
    ['is marked as complete, and is not', body('data: [DONE]\n\n', { contentType: 'text/event-stream' }), streamed],
  ])('that %s is passed over', async (_, reply, sent) => {
    const app = await startForwardingApp();
    app.openai.script(reply);
    const response = await app.send(responses, { ...sent, ...withFallback });
    expect(response.status).toBe(200);
    expect(await response.text()).toMatch(/"Hello from the upstream\."/);
    expect(response.headers.get('patchbay-route')).toContain('failed="openai/large provider_');
    expect(app.anthropic.requests).toHaveLength(1);
  });

  it('that fails within its stream is reported once, in the words of the vendor', async () => {
    const app = await startForwardingApp();
    const delta = { type: 'response.output_text.delta', item_id: 'msg_1', output_index: 0, delta: 'Hi' };
    const call = { type: 'function_call', id: 'fc_1', call_id: 'call_1', name: 'find', arguments: '' };
    const added = { type: 'response.output_item.added', output_index: 1, item: call };
    app.openai.script(events(created, delta, added, failed));
    const said = await (await app.send(responses, { ...streamed, ...withFallback })).text();
    expect(said).toContain('The words of the vendor');
    expect(said).not.toContain('event: error');
    expect(app.anthropic.requests).toEqual([]);
  });
});

describe('items of a forwarded response', () => {
  const reference = { type: 'item_reference', id: 'msg_1' };
  const next = (...items: readonly object[]) => ({
    input: [says('user', 'Hi'), ...items, says('user', 'What did you say?')],
  });

  it.each([
    ['whole', answered([message('msg_1', 'Forty-two.')]), asked()],
    [
      'in a stream',
      events(
        created,
        { type: 'response.output_item.done', output_index: 0, item: message('msg_1', 'Forty-two.') },
        { type: 'response.completed', response: complete([message('msg_1', 'Forty-two.')]) },
      ),
      streamed,
    ],
  ])('%s are named by the tenant that received them, to every vendor', async (_, reply, sent) => {
    const app = await startForwardingApp();
    app.openai.script(reply, healthy());
    await (await app.send(responses, sent)).text();
    for (const named of [reference, { id: 'msg_1' }]) {
      expect((await app.send(responses, asked('openai/large', next(named)))).status).toBe(200);
      expect(app.openai.requests.at(-1)?.json).toMatchObject(next(named));
    }
    for (const [model, upstream] of [
      ['anthropic/large', app.anthropic],
      ['other/large', app.other],
    ] as const) {
      expect((await app.send(responses, asked(model, next(reference)))).status).toBe(200);
      expect(upstream.requests[0]?.body).toContain('Forty-two.');
    }
    const asStranger = { token: app.test.token({ tenant: 'another' }) };
    const stolen = await faultOf(await app.send(responses, asked('openai/large', next(reference)), asStranger));
    expect(stolen).toMatchObject({ status: 404, code: 'stored_object_not_found', param: 'input[1].id' });
  });

  it('that were translated are sent whole to the model that did not make them', async () => {
    const app = await startForwardingApp();
    const first = (await (await app.send(responses, asked('anthropic/large'))).json()) as { output: { id: string }[] };
    const [item] = first.output;
    const named = next({ type: 'item_reference', id: item?.id });
    expect((await app.send(responses, asked('openai/large', named))).status).toBe(200);
    expect(app.openai.requests[0]).toMatchObject({ path: '/v1/chat/completions' });
    expect(app.openai.requests[0]?.body).toContain('Hello from the upstream.');
  });

  it('of a stream that another model has continued are sent whole, as no vendor keeps them', async () => {
    const app = await startForwardingApp();
    app.openai.script(upstreamReplies.closeMidStream());
    app.anthropic.script(healthy({ text: 'Hello from the upstream. And more.' }));
    const said = await (await app.send(responses, { ...streamed, ...withFallback })).text();
    const [, id = ''] = /"item_id":"([^"]+)"/.exec(said) ?? [];
    const [, response = ''] = /"id":"(resp_[^"]+)"/.exec(said) ?? [];
    app.openai.script(healthy());
    const named = asked('openai/large', next({ type: 'item_reference', id }));
    expect((await app.send(responses, named)).status).toBe(200);
    expect(app.openai.requests[1]).toMatchObject({ path: '/v1/chat/completions' });
    expect(app.openai.requests[1]?.body).toContain('Hello from the upstream.');
    const more = await app.send(responses, asked('openai/large', { previous_response_id: response }));
    expect(await faultOf(more)).toMatchObject({ status: 404, param: 'previous_response_id' });
  });

  it('go on from a response that is kept, for the tenant that received it', async () => {
    const app = await startForwardingApp();
    app.openai.script(answered([message('msg_1', 'Hi')]), healthy());
    await app.send(responses, asked());
    const more = asked('openai/large', { previous_response_id: 'resp_1', store: true });
    expect((await app.send(responses, more)).status).toBe(200);
    expect(app.openai.requests[1]?.json).toMatchObject({ previous_response_id: 'resp_1', store: true });
    const stolen = await app.send(responses, more, { token: app.test.token({ tenant: 'another' }) });
    expect(await faultOf(stolen)).toMatchObject({ status: 404, type: 'not_found', param: 'previous_response_id' });
  });
});

describe('reasoning of OpenAI', () => {
  const sealed = {
    type: 'reasoning',
    id: 'rs_1',
    summary: [{ type: 'summary_text', text: 'Hm.' }],
    encrypted_content: 'gAAAA',
  };
  const { encrypted_content: _, ...named } = sealed;
  const turns = (item: object) => ({
    input: [says('user', 'Hi'), item, says('assistant', 'Hm!'), says('user', 'Why?')],
  });

  it.each([
    ['encrypted', sealed],
    ['by its name', named],
  ])('comes back to it %s, and reaches no other vendor', async (_, item) => {
    const app = await startForwardingApp();
    app.openai.script(answered([sealed, message('msg_1', 'Hm!')]), healthy());
    await app.send(responses, asked());
    expect((await app.send(responses, asked('openai/large', turns(item)))).status).toBe(200);
    expect(app.openai.requests[1]?.json).toMatchObject(turns(item));
    const elsewhere = await app.send(responses, asked('anthropic/large', turns(item)));
    expect(elsewhere.status).toBe(200);
    expect(elsewhere.headers.get('patchbay-warning')).toContain('reasoning');
    expect(app.anthropic.requests[0]?.body).not.toMatch(/Hm\.|gAAAA/);
  });

  it.each([
    ['of another tenant', named],
    ['without a name', { ...named, id: undefined }],
  ])('%s is left out', async (_, item) => {
    const app = await startForwardingApp();
    app.openai.script(answered([sealed, message('msg_1', 'Hm!')]), healthy());
    await app.send(responses, asked(), { token: app.test.token({ tenant: 'another' }) });
    expect((await app.send(responses, asked('openai/large', turns(item)))).status).toBe(200);
    expect(app.openai.requests[1]).toMatchObject({ path: '/v1/chat/completions' });
    expect(app.openai.requests[1]?.body).not.toMatch(/Hm\.|rs_1/);
  });

  it('of another vendor does not reach it', async () => {
    const app = await startForwardingApp();
    app.anthropic.script(healthy({ reasoning: { text: 'It is 4.', signature: 'c2lnbmF0dXJl' }, text: '4' }));
    const include = ['reasoning.encrypted_content'];
    const first = await app.send(responses, asked('anthropic/large', { include }));
    const { output } = (await first.json()) as { output: object[] };
    const more = { input: [says('user', 'What is 2 + 2?'), ...output, says('user', 'Why?')], include };
    expect((await app.send(responses, asked('openai/large', more))).status).toBe(200);
    expect(app.openai.requests[0]?.body).not.toMatch(/It is 4\.|patchbay1/);
  });
});

describe('POST /v1/responses/compact', () => {
  const { compaction } = { compaction: { id: 'cmp_1', type: 'compaction', encrypted_content: 'c2hvcnRlcg' } };

  it('returns items that their vendor reads, and no other', async () => {
    const app = await startForwardingApp();
    const compacted = { id: 'resp_1', object: 'response.compaction', created_at: 1, output: [compaction], usage };
    app.openai.script(body(JSON.stringify(compacted)), healthy());
    expect(await (await app.send(compactions, asked())).json()).toEqual(compacted);
    const input = [compaction, says('user', 'And now?')];
    expect((await app.send(responses, asked('openai/large', { input }))).status).toBe(200);
    expect(app.openai.requests[1]?.json).toMatchObject({ input });
    const refused = await faultOf(await app.send(responses, asked('anthropic/large', { input })));
    expect(refused).toMatchObject({ status: 400, param: 'input[0].type' });
  });

  it.each([
    ['of a model of another vendor', asked('anthropic/large'), 'model'],
    [
      'of items that another tenant received',
      asked('openai/large', { previous_response_id: 'resp_2' }),
      'previous_response_id',
    ],
  ])('%s is refused, and is sent to none', async (_, sent, param) => {
    const app = await startForwardingApp();
    expect(await faultOf(await app.send(compactions, sent))).toMatchObject({ param });
    expect([...app.openai.requests, ...app.anthropic.requests]).toEqual([]);
  });

  it('is done by a model that can, where the choice is automatic', async () => {
    const app = await startForwardingApp();
    expect((await app.send(compactions, asked('auto'))).status).toBe(200);
    expect(app.openai.requests[0]).toMatchObject({ path: compactions, json: { model: 'large' } });
  });
});
