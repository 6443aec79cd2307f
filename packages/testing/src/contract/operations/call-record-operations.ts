import assert from 'node:assert/strict';
import type { ApiClient, ApiSuite } from '../api-under-test.ts';
import { assertMembers, assertProblem, rowsOf } from '../expect-answer.ts';

/** A call of a model, as it was recorded. */
async function recorded(api: ApiClient): Promise<Readonly<Record<string, unknown>>> {
  const prompt = { prompt: 'What is a patch bay?', model: api.models.chat, maxTokens: 64 };
  const { headers, text } = await api.ask('POST', '/generate', { body: prompt });
  const id = headers.get('patchbay-call') ?? text;
  const { status, body } = await api.ask('GET', `/calls/${id}`);
  assert.equal(status, 200);
  assertMembers(body, { id, model: api.models.chat, outcome: 'completed', decision: { by: 'caller' }, attempts: [] });
  return body;
}

export function callRecordOperations({ describe, it }: ApiSuite): void {
  describe('call records', () => {
    it('listCalls sends calls as they end', async (api) => {
      const { id, createdAt } = await recorded(api);
      const leaving = new AbortController();
      const path = `/calls?since=${String(createdAt)}&model=${encodeURIComponent(api.models.chat)}`;
      const headers = { accept: 'text/event-stream' };
      const { body } = await api.open('GET', path, { headers, signal: leaving.signal });
      let text = '';
      for await (const piece of body?.pipeThrough(new TextDecoderStream()) ?? []) {
        text += piece;
        if (text.includes('event: call')) break;
      }
      leaving.abort();
      const [start, event = ''] = text.split('\n\n');
      assert.equal(start, ': following');
      assert.match(event, /^id: \S+\nevent: call\ndata: /);
      assert.ok(event.includes(JSON.stringify(id)));
      const wrong = { headers: { ...headers, 'last-event-id': 'another' } };
      assertProblem(await api.ask('GET', '/calls', wrong), 400, 'invalid_request');
    });

    it('listCalls responds with a page of calls, of one model', async (api) => {
      assertProblem(await api.ask('GET', '/calls?limit=0'), 400, 'invalid_request', '?limit');
      const call = await recorded(api);
      const path = `/calls?limit=100&outcome=completed&model=${encodeURIComponent(api.models.chat)}`;
      const found = rowsOf(await api.ask('GET', path)).filter(({ id }) => id === call['id']);
      assert.deepEqual(found, [call]);
      assert.deepEqual(rowsOf(await api.ask('GET', '/calls?model=none/at-all')), []);
    });

    it('getCallContent responds with what is stored of a call', async (api) => {
      assertProblem(await api.ask('GET', '/calls/call_00000000000000000000000000/content'), 404, 'call_not_found');
      const { id } = await recorded(api);
      const { status, body } = await api.ask('GET', `/calls/${String(id)}/content`);
      assert.equal(status, 200);
      assertMembers(body, { id, redacted: [], cut: [], omitted: [] });
      if (body['level'] === 'off') assertMembers(body, { summary: null, request: null, response: null });
      if (body['level'] === 'full') assertMembers(Object(body['request']), { prompt: 'What is a patch bay?' });
    });

    it('getCall responds with how a call was answered', async (api) => {
      assertProblem(await api.ask('GET', '/calls/call_00000000000000000000000000'), 404, 'call_not_found');
      await recorded(api);
    });
  });
}
