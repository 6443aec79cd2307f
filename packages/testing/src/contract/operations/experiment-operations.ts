import assert from 'node:assert/strict';
import type { ApiClient, ApiSuite } from '../api-under-test.ts';
import { assertMembers, assertProblem, rowsOf } from '../expect-answer.ts';
import { withFunction } from '../sample-function.ts';

const missing = '/functions/function_00000000000000000000000000/experiment';

/** A function with two versions of its settings. */
async function withVersions(api: ApiClient, use: (path: string) => Promise<void>): Promise<void> {
  const settings = { model: api.models.chat, prompt: 'Summarize: {{input.text}}' };
  await withFunction(api, { code: '', settings }, async (path) => {
    const body = { ...settings, prompt: 'Summarize in few words: {{input.text}}' };
    assert.equal((await api.ask('PUT', `${path}/settings`, { body })).status, 200);
    await use(`${path}/experiment`);
  });
}

const variants = [1, 2];

export function experimentOperations({ describe, it }: ApiSuite): void {
  describe('experiments', () => {
    it('startExperiment shares out calls among versions of the settings', async (api) => {
      await withVersions(api, async (path) => {
        const unknown = await api.ask('PUT', path, { body: { variants: [1, 9] } });
        assertProblem(unknown, 400, 'invalid_request', '/variants/1');
        const { status, body, text } = await api.ask('PUT', path, { body: { variants, metric: 'score', delta: 0.05 } });
        assert.equal(status, 200, text);
        assertMembers(body, { status: 'running', label: 'production', before: 2, delta: 0.05, winner: null });
      });
    });

    it('getExperiment responds with the scores so far', async (api) => {
      assertProblem(await api.ask('GET', missing), 404, 'function_not_found');
      await withVersions(api, async (path) => {
        assertProblem(await api.ask('GET', path), 404, 'experiment_not_found');
        const { body } = await api.ask('PUT', path, { body: { variants } });
        assert.deepEqual((await api.ask('GET', path)).body, body);
      });
    });

    it('listExperiments responds with a page, newest first', async (api) => {
      await withVersions(api, async (path) => {
        await api.ask('PUT', path, { body: { variants } });
        const { body } = await api.ask('PUT', path, { body: { variants, epsilon: 0.1 } });
        const rows = rowsOf(await api.ask('GET', `${path}s`));
        assert.deepEqual([rows.length, rows[0]], [2, body]);
      });
    });

    it('stopExperiment leaves the label as it is', async (api) => {
      await withVersions(api, async (path) => {
        assertProblem(await api.ask('DELETE', path), 404, 'experiment_not_found');
        await api.ask('PUT', path, { body: { variants } });
        const { status, body } = await api.ask('DELETE', path);
        assert.equal(status, 200);
        assertMembers(body, { status: 'stopped', winner: null });
      });
    });

    it('rollBackExperiment gives the label back after a winner has taken it over', async (api) => {
      await withVersions(api, async (path) => {
        const functionPath = path.slice(0, path.lastIndexOf('/'));
        await api.ask('PUT', path, { body: { variants, minPerVariant: 1, delta: 0.5, epsilon: 0.5 } });
        assertProblem(await api.ask('POST', `${path}/rollback`), 409, 'conflict');
        // Both versions are equally good, so the experiment ends as soon as it may.
        for (let call = 0; call < 100 && (await api.ask('GET', path)).body['status'] === 'running'; call++) {
          const executed = await api.ask('POST', `${functionPath}/execute`, { body: { input: { text: 'Hello.' } } });
          const target = executed.headers.get('patchbay-call');
          assert.equal((await api.ask('POST', '/feedback', { body: { target, value: 1 } })).status, 201);
        }
        const { status, body } = await api.ask('POST', `${path}/rollback`);
        assert.equal(status, 200);
        assertMembers(body, { status: 'rolled_back', before: 2 });
      });
    });
  });
}
