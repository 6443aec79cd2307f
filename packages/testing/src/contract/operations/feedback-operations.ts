import assert from 'node:assert/strict';
import type { ApiClient, ApiSuite } from '../api-under-test.ts';
import { assertDeletion, assertMembers, assertProblem, rowsOf } from '../expect-answer.ts';
import { withFunction } from '../sample-function.ts';

const missing = '/feedback/feedback_00000000000000000000000000';

/** An answer to judge. */
async function generated(api: ApiClient): Promise<string> {
  const body = { prompt: 'What is a patch bay?', model: api.models.chat, maxTokens: 64 };
  const { status, headers, text } = await api.ask('POST', '/generate', { body });
  assert.equal(status, 200, text);
  return headers.get('patchbay-call') ?? '';
}

/** Give feedback, and delete it when the test is done. */
async function withFeedback(
  api: ApiClient,
  use: (path: string, made: Readonly<Record<string, unknown>>) => Promise<void>,
): Promise<void> {
  const body = { target: await generated(api), value: 0.5, comment: 'Too long.' };
  const { status, headers, body: made, text } = await api.ask('POST', '/feedback', { body });
  assert.equal(status, 201, text);
  assertMembers(made, { ...body, metric: 'score', model: api.models.chat, functionId: null });
  const path = api.within(headers.get('location'));
  try {
    await use(path, made);
  } finally {
    await api.ask('DELETE', path);
  }
}

export function feedbackOperations({ describe, it }: ApiSuite): void {
  describe('feedback', () => {
    it('listFeedback responds with a page of feedback, of one answer', async (api) => {
      assertProblem(await api.ask('GET', '/feedback?limit=0'), 400, 'invalid_request', '?limit');
      assertProblem(await api.ask('GET', '/feedback?since=2026-02-30T00:00:00Z'), 400, 'invalid_request', '?since');
      await withFeedback(api, async (_path, made) => {
        assert.deepEqual(rowsOf(await api.ask('GET', `/feedback?target=${String(made['target'])}&metric=score`)), [
          made,
        ]);
      });
    });

    it('giveFeedback accepts feedback about an answer, once', async (api) => {
      const unknown = { target: 'chat_7zzzzzzzzzzzzzzzzzzzzzzzzz', value: true };
      assertProblem(await api.ask('POST', '/feedback', { body: unknown }), 404, 'feedback_target_not_found');
      const ancient = { target: 'chat_00000000000000000000000000', value: true };
      assertProblem(await api.ask('POST', '/feedback', { body: ancient }), 410, 'feedback_expired');
      const wrong = { target: await generated(api), value: 2 };
      assertProblem(await api.ask('POST', '/feedback', { body: wrong }), 400, 'invalid_request', '/value');
      await withFeedback(api, async (_path, { target }) => {
        const other = await api.ask('POST', '/feedback', { body: { target, value: 1 } });
        assertProblem(other, 409, 'conflict');
        const body = { target, value: 0.5, comment: 'Too long.' };
        assert.equal((await api.ask('POST', '/feedback', { body })).status, 201);
      });
    });

    it('getFeedback responds with the feedback', async (api) => {
      assertProblem(await api.ask('GET', missing), 404, 'feedback_not_found');
      await withFeedback(api, async (path, made) => {
        const { status, body } = await api.ask('GET', path);
        assert.deepEqual([status, body], [200, made]);
      });
    });

    it('deleteFeedback makes place for other feedback', async (api) => {
      assertProblem(await api.ask('DELETE', missing), 404, 'feedback_not_found');
      await withFeedback(api, async (path, { target }) => {
        assertDeletion(await api.ask('DELETE', path));
        const { status } = await api.ask('POST', '/feedback', { body: { target, value: 1 } });
        assert.equal(status, 201);
      });
    });

    it('applyEvidence counts scores of an evaluation for a quarter, and takes them back', async (api) => {
      await withFunction(api, { code: '', settings: { model: api.models.chat } }, async (path) => {
        const models = [{ model: api.models.chat, settingsVersion: 1, scores: [1, 0.5, 1, 0] }];
        const ask = async (body: object) => await api.ask('POST', `${path}/evidence`, { body });
        assertProblem(
          await ask({ models: [{ ...models[0], scores: [2] }] }),
          400,
          'invalid_request',
          '/models/0/scores/0',
        );
        assertProblem(await ask({ models, at: '2999-01-01T00:00:00Z' }), 400, 'invalid_request', '/at');
        const { status, body, text } = await ask({ models });
        assert.equal(status, 200, text);
        assertMembers(body, { models: [{ model: api.models.chat, settingsVersion: 1, counted: 1 }] });
        const { body: undone } = await ask({ models, undo: true });
        assertMembers(undone, { models: [{ model: api.models.chat, settingsVersion: 1, counted: -1 }] });
      });
      const of = '/functions/function_00000000000000000000000000/evidence';
      const body = { models: [{ model: api.models.chat, settingsVersion: 1, scores: [1] }] };
      assertProblem(await api.ask('POST', of, { body }), 404, 'function_not_found');
    });
  });
}
