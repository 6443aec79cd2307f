import assert from 'node:assert/strict';
import type { ApiClient, ApiSuite } from '../api-under-test.ts';
import { assertDeletion, assertMembers, assertProblem, type Row, rowsOf, timestamp } from '../expect-answer.ts';
import { withFunction } from '../sample-function.ts';

const missing = '/functions/function_00000000000000000000000000/settings';

export function settingsOperations({ describe, it }: ApiSuite): void {
  const settingsOf = ({ models }: ApiClient) => ({
    model: models.chat,
    temperature: 0.2,
    prompt: 'Summarize: {{input.text}}',
  });
  const newer = (api: ApiClient) => ({ ...settingsOf(api), temperature: 0.5 });

  /** A function without code: its settings are what it does. */
  const withSettings = (api: ApiClient, use: (path: string, functionId: unknown) => Promise<void>) =>
    withFunction(api, { code: '', settings: settingsOf(api) }, (path, { id }) => use(`${path}/settings`, id));

  const withTwo = (api: ApiClient, use: (path: string, functionId: unknown) => Promise<void>) =>
    withSettings(api, async (path, functionId) => {
      assert.equal((await api.ask('PUT', path, { body: newer(api) })).status, 200);
      await use(path, functionId);
    });

  describe('settings', () => {
    it('getFunctionSettings responds with those that calls use', async (api) => {
      assertProblem(await api.ask('GET', missing), 404, 'function_not_found');
      await withSettings(api, async (path, functionId) => {
        const { status, headers, body } = await api.ask('GET', path);
        assert.equal(status, 200);
        assertMembers(body, { functionId, ...settingsOf(api), version: 1, label: 'production' });
        assert.match(String(body['updatedAt']), timestamp);
        assert.notEqual(headers.get('etag'), null);
      });
    });

    it('replaceFunctionSettings writes a new version, which calls use from then on', async (api) => {
      await withSettings(api, async (path, functionId) => {
        const wrong = await api.ask('PUT', path, { body: { ...newer(api), temperature: 3 } });
        assertProblem(wrong, 400, 'invalid_request', '/temperature');
        const { status, body } = await api.ask('PUT', path, { body: newer(api) });
        assert.equal(status, 200);
        assertMembers(body, { functionId, ...newer(api), version: 2, label: 'production' });
        assert.deepEqual((await api.ask('GET', path)).body, body);
      });
    });

    it('deleteFunctionSettings removes all versions', async (api) => {
      await withFunction(api, {}, async (functionPath) => {
        const path = `${functionPath}/settings`;
        assertProblem(await api.ask('DELETE', path), 404, 'settings_not_found');
        assert.equal((await api.ask('PUT', path, { body: settingsOf(api) })).status, 200);
        assertDeletion(await api.ask('DELETE', path));
        assertProblem(await api.ask('GET', path), 404, 'settings_not_found');
      });
    });

    it('explainFunctionSettings responds with the source of each value', async (api) => {
      assertProblem(await api.ask('GET', `${missing}/explain`), 404, 'function_not_found');
      await withSettings(api, async (path) => {
        const { status, body } = await api.ask('GET', `${path}/explain`);
        assert.equal(status, 200);
        const values = new Map((body['data'] as readonly Row[]).map((row) => [row['name'], row]));
        assertMembers(values.get('temperature') ?? {}, { value: 0.2 });
        assert.match(String(values.get('temperature')?.['source']), /version 1/);
        assertMembers(values.get('repairs') ?? {}, { source: 'default' });
      });
    });

    it('listSettingsVersions responds with the newest first, and their labels', async (api) => {
      await withTwo(api, async (path, functionId) => {
        const rows = rowsOf(await api.ask('GET', `${path}/versions`));
        assert.deepEqual(
          rows.map((row) => [row['functionId'], row['version'], row['labels']]),
          [
            [functionId, 2, ['production']],
            [functionId, 1, []],
          ],
        );
      });
    });

    it('getSettingsVersion responds with the settings as they were', async (api) => {
      await withTwo(api, async (path, functionId) => {
        assertProblem(await api.ask('GET', `${path}/versions/3`), 404, 'settings_not_found');
        const { status, body } = await api.ask('GET', `${path}/versions/1`);
        assert.equal(status, 200);
        assertMembers(body, { functionId, ...settingsOf(api), version: 1 });
      });
    });

    it('moveSettingsLabel rolls back to an older version', async (api) => {
      await withTwo(api, async (path, functionId) => {
        const move = (version: unknown) => api.ask('PUT', `${path}/labels/production`, { body: { version } });
        assertProblem(await move('one'), 400, 'invalid_request', '/version');
        assertProblem(await move(3), 404, 'settings_not_found');
        const { status, body } = await move(1);
        assert.equal(status, 200);
        assertMembers(body, { functionId, ...settingsOf(api), version: 1, label: 'production' });
        assertMembers((await api.ask('GET', path)).body, { temperature: 0.2, version: 1 });
      });
    });

    it('getSettingsLabel responds with the version that the label stands for', async (api) => {
      await withTwo(api, async (path, functionId) => {
        assertProblem(await api.ask('GET', `${path}/labels/staging`), 404, 'settings_not_found');
        const { status, body } = await api.ask('GET', `${path}/labels/production`);
        assert.equal(status, 200);
        assertMembers(body, { functionId, ...newer(api), version: 2, label: 'production' });
      });
    });
  });
}
